/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each function has one kind of misbehaviour. torture_test.py runs them in every mode and in both
 * hosts. This file is also a plugin with a check factory, so that it is loaded like a suite.
 */
#include "torture_checks.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BURN_NS 20000000 /* processor time */
#define STAGE_CHECK 3    /* HN_STAGE_CHECK, which checks cannot include */

static void say(struct assay_check *check, int32_t kind, const char *what, const char *subject)
{
    const struct assay_finding finding = {
        .struct_size = sizeof finding,
        .kind = kind,
        .what = what,
        .seen = "seen by torture",
        .subject = subject,
        .file = __FILE__,
        .line = __LINE__,
    };
    check->host->report(check, &finding);
}

static void wait_for_ever(void)
{
    for (;;)
        pause();
}

static void passes(struct assay_check *check)
{
    check->host->mark(check, __FILE__, __LINE__);
}
static void notes(struct assay_check *check)
{
    check->host->note(check, "alignment", "512");
}
static void fails(struct assay_check *check)
{
    say(check, ASSAY_FINDING_FAIL, "one equals two", NULL);
}
static void fails_and_falls_back(struct assay_check *check)
{
    say(check, ASSAY_FINDING_FALLBACK, "computed on the device", "aten::add");
    say(check, ASSAY_FINDING_FAIL, "one equals two", NULL);
}
static void abandons_after_fail(struct assay_check *check)
{
    say(check, ASSAY_FINDING_FAIL, "one equals two", NULL);
    check->host->abandon(check);
}
static void abandons_clean(struct assay_check *check)
{
    check->host->abandon(check);
}
static void skips(struct assay_check *check)
{
    say(check, ASSAY_FINDING_SKIP, "has streams", "streams");
}
static void is_unobservable(struct assay_check *check)
{
    say(check, ASSAY_FINDING_UNOBSERVABLE, "a gate", "harness.gate");
}
static void is_blocked(struct assay_check *check)
{
    say(check, ASSAY_FINDING_BLOCKED, "an operator", "aten::mm");
}
static void is_broken(struct assay_check *check)
{
    say(check, ASSAY_FINDING_BROKEN, "could open its file", NULL);
}
static void falls_back(struct assay_check *check)
{
    say(check, ASSAY_FINDING_FALLBACK, "computed on the device", "aten::add");
}
static void notes_advice(struct assay_check *check)
{
    say(check, ASSAY_FINDING_NOTED, "prints nothing", NULL);
}
static void says_nonsense_kind(struct assay_check *check)
{
    say(check, 4711, "a kind that does not exist", NULL);
}
static void says_nonsense_text(struct assay_check *check)
{
    say(check, ASSAY_FINDING_FAIL, "\x1b[2J\"\\\xff\xc3(\xe2\x80\xae\n", NULL);
}
static void reports_without_end(struct assay_check *check)
{
    for (int i = 0; i < 20000; i++)
        say(check, ASSAY_FINDING_FAIL, "the same again", NULL);
}

static void segfaults(struct assay_check *check)
{
    check->host->mark(check, __FILE__, __LINE__);
    raise(SIGSEGV);
}
/* volatile, so that the compiler cannot see that the loop is endless or that the page is
 * unmapped. */
static void writes_to_nowhere(struct assay_check *check)
{
    int *volatile nowhere = (int *)16;
    check->host->mark(check, __FILE__, __LINE__);
    *nowhere = 1;
}
static void aborts(struct assay_check *check)
{
    (void)check;
    abort();
}
static void exits_zero(struct assay_check *check)
{
    (void)check;
    exit(0);
}
static void exits_at_once_zero(struct assay_check *check)
{
    (void)check;
    _exit(0);
}
static void exits_three(struct assay_check *check)
{
    (void)check;
    exit(3);
}
static void loops(struct assay_check *check)
{
    check->host->mark(check, __FILE__, __LINE__);
    for (volatile unsigned turns = 0;; turns++)
        continue;
}
static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}
/* Works longer than its deadline by the clock, and waits for its processor half of this time,
 * because its child uses the same processor. */
static void shares_its_processor(struct assay_check *check)
{
    const int64_t limit = check->host->milliseconds_left(check), begun = now_ms();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    const pid_t child = fork();
    while (child == 0 || now_ms() - begun < limit * 6 / 5)
        continue;
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}
static void ignores_term(struct assay_check *check)
{
    (void)check;
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR2, SIG_IGN);
    wait_for_ever();
}
static void leaves_child(struct assay_check *check)
{
    (void)check;
    if (fork() == 0)
        wait_for_ever();
}
static void leaves_stubborn_child(struct assay_check *check)
{
    (void)check;
    if (fork() != 0)
        return;
    signal(SIGTERM, SIG_IGN);
    wait_for_ever();
}
/* Leaves a daemon in another process group and session, which holds our output open. */
static void leaves_daemon(struct assay_check *check)
{
    (void)check;
    if (fork() != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    wait_for_ever();
}
static void leaves_segment(struct assay_check *check)
{
    (void)check;
    if (shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) < 0)
        abort();
}
static void leaves_daemon_and_dies(struct assay_check *check)
{
    leaves_daemon(check);
    abort();
}
static void child_comes_back(struct assay_check *check)
{
    (void)check;
    fork();
}
static void prints_gigabyte(struct assay_check *check)
{
    static char block[1 << 20];
    (void)check;
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 1024; i++)
        fwrite(block, 1, sizeof block, stdout);
}
static void prints_two_megabytes(struct assay_check *check)
{
    (void)check;
    for (int i = 0; i < 200000; i++)
        fprintf(stderr, "%09d\n", i);
}
static void closes_everything(struct assay_check *check)
{
    check->host->mark(check, __FILE__, __LINE__);
    for (int fd = 0; fd < 1024; fd++)
        close(fd);
}
static void corrupts_heap(struct assay_check *check)
{
    (void)check;
    char *volatile block = malloc(64);
    free(block);
    free(block);
}

/* Reports one failure, and then empties the file of events. */
static void hides_finding(struct assay_check *check)
{
    char path[1200];
    fails(check);
    snprintf(path, sizeof path, "%s/events.jsonl", check->scratch);
    if (truncate(path, 0) != 0)
        _exit(9);
}
static void fills_folder(struct assay_check *check)
{
    char path[1200];
    static char block[1 << 20];
    memset(block, 'x', sizeof block);
    snprintf(path, sizeof path, "%s/huge", check->scratch);
    const int fd = open(path, O_WRONLY | O_CREAT, 0644);
    for (int i = 0; i < 64; i++)
        if (write(fd, block, sizeof block) < 0)
            _exit(9);
    wait_for_ever();
}
static void stops_itself(struct assay_check *check)
{
    check->host->mark(check, __FILE__, __LINE__);
    raise(SIGSTOP);
    wait_for_ever();
}
static void *run_for_ever(void *nothing)
{
    wait_for_ever();
    return nothing;
}
static void leaves_thread(struct assay_check *check)
{
    pthread_t thread;
    (void)check;
    pthread_create(&thread, NULL, run_for_ever, NULL);
}
static void kills_its_host(struct assay_check *check)
{
    (void)check;
    kill(getppid(), SIGKILL);
    wait_for_ever();
}
/* Returns 1 unless the folder ends in ".2", which is the folder of a second attempt. */
static int is_first_attempt(const struct assay_check *check)
{
    const size_t length = strlen(check->scratch);
    return length < 2 || strcmp(check->scratch + length - 2, ".2") != 0;
}
static void kills_its_host_once(struct assay_check *check)
{
    if (is_first_attempt(check))
        kills_its_host(check);
}
static void stops_its_host(struct assay_check *check)
{
    (void)check;
    kill(getppid(), SIGSTOP);
}
static void refuse_to_leave(void)
{
    wait_for_ever();
}
static void abort_on_leave(void)
{
    abort();
}
static void exit_handler_hangs(struct assay_check *check)
{
    (void)check;
    atexit(refuse_to_leave);
}
static void exit_handler_aborts(struct assay_check *check)
{
    (void)check;
    atexit(abort_on_leave);
}
static void seed_differs_from_zero(struct assay_check *check)
{
    if (check->seed == 0)
        fails(check);
}
static void closes_output(struct assay_check *check)
{
    (void)check;
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
}
/* The depth is never reached, but the compiler does not know that. */
static unsigned go_deeper(volatile unsigned depth)
{
    volatile char frame[4096];
    frame[depth % sizeof frame] = 1;
    return depth == 0 ? 0 : go_deeper(depth - 1) + (unsigned)frame[0];
}
static void overflows_stack(struct assay_check *check)
{
    if (go_deeper(4000000000u) == 1)
        fails(check);
}
static void (*volatile no_function)(void);
static void calls_nothing(struct assay_check *check)
{
    no_function();
    fails(check);
}

/* Replaces a file of the evidence by a pipe: an open() without O_NONBLOCK blocks for ever. */
static void replace_by_pipe(const struct assay_check *check, const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", check->scratch, name);
    unlink(path);
    if (mkfifo(path, 0644) != 0)
        _exit(9);
}
static void makes_its_mark_a_pipe(struct assay_check *check)
{
    replace_by_pipe(check, "mark");
}
static void makes_its_output_a_pipe(struct assay_check *check)
{
    replace_by_pipe(check, "out.txt");
    printf("into a pipe that nobody reads\n");
}
static void makes_its_events_a_pipe(struct assay_check *check)
{
    replace_by_pipe(check, "events.jsonl");
}
static void makes_its_stack_a_pipe(struct assay_check *check)
{
    replace_by_pipe(check, "stack.txt");
    abort();
}
static void joins_its_host(struct assay_check *check)
{
    (void)check;
    setpgid(0, getpgid(getppid()));
    if (fork() == 0)
        wait_for_ever();
}
static void joins_its_host_and_hangs(struct assay_check *check)
{
    joins_its_host(check);
    wait_for_ever();
}
/* Writes stage reports, which restart a deadline, to every open pipe. One of these pipes leads to
 * the host. */
static void begins_again_for_ever(struct assay_check *check)
{
    (void)check;
    for (;;)
        for (uint32_t job = 0; job < 64; job++)
            for (int fd = 3; fd < 40; fd++) {
                const uint32_t report[2] = {job, STAGE_CHECK};
                struct stat facts;
                if (fstat(fd, &facts) == 0 && S_ISFIFO(facts.st_mode) &&
                    write(fd, report, sizeof report) < 0)
                    continue;
            }
}
static void digs_deeper_than_a_path(struct assay_check *check)
{
    char name[201] = {0};
    memset(name, 'd', sizeof name - 1);
    if (chdir(check->scratch) != 0)
        _exit(9);
    for (int depth = 0; depth < 40; depth++)
        if (mkdir(name, 0755) != 0 || chdir(name) != 0)
            _exit(9);
}
static void fails_at_first(struct assay_check *check)
{
    if (is_first_attempt(check))
        fails(check);
}

const struct assay_check_row torture_rows[] = {
    {"torture.passes", passes},
    {"torture.notes", notes},
    {"torture.fails", fails},
    {"torture.fails_and_falls_back", fails_and_falls_back},
    {"torture.abandons_after_fail", abandons_after_fail},
    {"torture.abandons_clean", abandons_clean},
    {"torture.skips", skips},
    {"torture.is_unobservable", is_unobservable},
    {"torture.is_blocked", is_blocked},
    {"torture.is_broken", is_broken},
    {"torture.falls_back", falls_back},
    {"torture.notes_advice", notes_advice},
    {"torture.says_nonsense_kind", says_nonsense_kind},
    {"torture.says_nonsense_text", says_nonsense_text},
    {"torture.reports_without_end", reports_without_end},
    {"torture.segfaults", segfaults},
    {"torture.writes_to_nowhere", writes_to_nowhere},
    {"torture.aborts", aborts},
    {"torture.exits_zero", exits_zero},
    {"torture.exits_at_once_zero", exits_at_once_zero},
    {"torture.exits_three", exits_three},
    {"torture.loops", loops},
    {"torture.shares_its_processor", shares_its_processor},
    {"torture.ignores_term", ignores_term},
    {"torture.leaves_child", leaves_child},
    {"torture.leaves_stubborn_child", leaves_stubborn_child},
    {"torture.leaves_daemon", leaves_daemon},
    {"torture.leaves_segment", leaves_segment},
    {"torture.leaves_daemon_and_dies", leaves_daemon_and_dies},
    {"torture.child_comes_back", child_comes_back},
    {"torture.prints_gigabyte", prints_gigabyte},
    {"torture.prints_two_megabytes", prints_two_megabytes},
    {"torture.closes_everything", closes_everything},
    {"torture.corrupts_heap", corrupts_heap},
    {"torture.writes_garbage_event", torture_writes_garbage_event},
    {"torture.writes_unknown_event", torture_writes_unknown_event},
    {"torture.forges_end", torture_forges_end},
    {"torture.forges_end_and_ends", torture_forges_end_and_ends},
    {"torture.hides_finding", hides_finding},
    {"torture.removes_evidence", torture_removes_evidence},
    {"torture.fills_folder", fills_folder},
    {"torture.stops_itself", stops_itself},
    {"torture.leaves_thread", leaves_thread},
    {"torture.kills_its_host", kills_its_host},
    {"torture.kills_its_host_once", kills_its_host_once},
    {"torture.stops_its_host", stops_its_host},
    {"torture.exit_handler_hangs", exit_handler_hangs},
    {"torture.exit_handler_aborts", exit_handler_aborts},
    {"torture.seed_differs_from_zero", seed_differs_from_zero},
    {"torture.closes_output", closes_output},
    {"torture.overflows_stack", overflows_stack},
    {"torture.calls_nothing", calls_nothing},
    {"torture.makes_its_mark_a_pipe", makes_its_mark_a_pipe},
    {"torture.makes_its_output_a_pipe", makes_its_output_a_pipe},
    {"torture.makes_its_events_a_pipe", makes_its_events_a_pipe},
    {"torture.makes_its_stack_a_pipe", makes_its_stack_a_pipe},
    {"torture.joins_its_host", joins_its_host},
    {"torture.joins_its_host_and_hangs", joins_its_host_and_hangs},
    {"torture.begins_again_for_ever", begins_again_for_ever},
    {"torture.digs_deeper_than_a_path", digs_deeper_than_a_path},
    {"torture.fails_at_first", fails_at_first},
    {"torture.asks_for_nine_devices", fails},
    {"torture.dies_as_it_must", aborts},
    {"torture.must_die_and_lives", passes},
    {"torture.exits_as_it_must", exits_three},
    {"torture.stands_on_failure", passes},
    {"torture.stands_on_crash", passes},
    {"torture.stands_on_the_blocked", passes},
};
const uint32_t torture_row_count = sizeof torture_rows / sizeof *torture_rows;

static void burn(void)
{
    struct timespec spent;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    while (spent.tv_sec == 0 && spent.tv_nsec < BURN_NS);
}

int torture_run(struct assay_check *check)
{
    for (uint32_t i = 0; i < torture_row_count; i++)
        if (strcmp(torture_rows[i].id, check->id) == 0) {
            torture_rows[i].run(check);
            return 1;
        }
    /* "bench.7" and "burn.7": any number of checks that do nothing, or only use processor time. */
    if (strncmp(check->id, "burn.", 5) == 0) {
        burn();
        return 1;
    }
    return strncmp(check->id, "bench.", 6) == 0;
}
