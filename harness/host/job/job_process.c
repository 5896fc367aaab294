/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles one job process in this order: pipes, fork, watch, end, clean up, report. The host has
 * one thread and may contain the target's code, so the functions here do little and allocate
 * little. Deadlines are enforced here, next to the process; the supervisor only watches the host.
 */
#include "job_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bare_process.h"
#include "capture.h"
#include "clock.h"
#include "descendants.h"
#include "evidence.h"
#include "exec_job.h"
#include "folder_size.h"
#include "job_birth.h"
#include "process_usage.h"
#include "shared_memory.h"

#define FOLDER_INTERVAL_MS 500
#define NEVER INT64_MAX
/* limit of stage reports per turn: a job that never stops reporting must not delay its deadline */
#define REPORTS_A_TURN 64
#define FORK_PATIENCE_MS 10000 /* other programs may have used up all processes for a while */
#define FORK_INTERVAL_MS 100
#define LEAST_LENT 50 /* 1/LEAST_LENT of a check's time is too short to extend its deadline */

/* Steps to end a process. Each step is taken if the process survives the previous step. */
enum ending { RUNNING, ASKED_STACK, SENT_TERM, SENT_KILL };

struct process {
    struct hn_host *host;
    const struct hn_request *request;
    pid_t pid;
    int pidfd, progress;
    struct hn_capture out, err;
    size_t job;      /* the running job */
    size_t reported; /* number of jobs whose end the supervisor knows */
    enum hn_stage stage;
    int64_t job_start_us, deadline_ms, folder_check_ms;
    int64_t half_ms;     /* half of the time of the check */
    int64_t extended_ms; /* extension of the deadline, because a program works */
    int64_t waited_ms;   /* time that it had waited for a processor when the check began */
    int64_t lent_ms;     /* extension of the deadline, because it waited for a processor */
    uint32_t moves;      /* `moves` of its mark page at half time */
    char at_work[64];    /* name of a program, or "the check"; "": none */
    enum ending ending;
    /* "timeout", "folder", "cancel": why the host ends it; NULL: it ended by itself */
    const char *cause;
    int hangup;
    int wait_status;
    struct rusage usage;
    int left_behind;
    int64_t end_us;  /* time of its end; 0: it is running */
    int64_t bare_us; /* processor time that it used in the bare process */
    char left_memory[512];
};

/* Used by the signal handler, which must kill the process group. */
static volatile pid_t group_under_way;

void hn_job_process_kill_now(void)
{
    if (group_under_way > 0)
        kill(-group_under_way, SIGKILL);
}

/* ---- birth ---- */

static int run_in_child(struct process *process, const struct hn_wire *message, int progress)
{
    const struct hn_host *host = process->host;
    static struct hn_request request;
    request = *process->request;
    request.progress = progress;
    if (host->program)
        hn_exec_job(&host->setup, message, host->program, progress); /* returns only on failure */
    if (host->program)
        hn_job_leave(127);
    return hn_job_run(&host->setup, &request, host->callbacks, host->target, host->prepared);
}

static void arm(struct process *process, enum hn_stage stage)
{
    const int64_t limit = process->request->limit_ms[stage];
    if (process->ending != RUNNING)
        return; /* report the stage in which the deadline passed */
    process->stage = stage;
    process->deadline_ms = limit > 0 ? hn_clock_now_ms() + limit : NEVER;
    process->half_ms = NEVER;
    if (stage != HN_STAGE_CHECK)
        return;
    process->half_ms = limit > 0 ? hn_clock_now_ms() + limit / 2 : NEVER;
    process->extended_ms = process->lent_ms = 0;
    process->waited_ms = hn_waited_ms(process->pid);
    process->at_work[0] = '\0';
}

/* ---- messages to the supervisor ---- */

/* If the host has no memory for its message, the host exits, and its job ends too. If the
 * supervisor is lost, other code of the host notices that. */
static void say(const struct hn_host *host, struct hn_wire *message)
{
    const int unsayable = hn_wire_send(host->control, message) == HN_WIRE_UNSAYABLE;
    hn_wire_finish(message);
    if (!unsayable)
        return;
    hn_job_process_kill_now();
    hn_job_leave(HN_HOST_POOR);
}

static void send_started(struct process *process)
{
    struct hn_wire message = {0};
    hn_wire_begin(&message, HN_WIRE_STARTED);
    hn_wire_add(&message, "id", process->request->jobs[process->job].check.id);
    hn_wire_add_number(&message, "pid", process->pid);
    say(process->host, &message);
}

static void add_mark(struct hn_wire *message, const char *folder)
{
    struct hn_mark mark;
    if (hn_mark_read(folder, &mark) != 0)
        return;
    if (mark.no_room)
        hn_wire_add_number(message, "no-room", 1);
    if (mark.under_way[0])
        hn_wire_add(message, "under-way", mark.under_way);
    if (mark.line <= 0)
        return;
    hn_wire_add(message, "mark-file", mark.file);
    hn_wire_add_number(message, "mark-line", mark.line);
}

static void add_death(const struct process *process, struct hn_wire *message)
{
    if (WIFSIGNALED(process->wait_status))
        hn_wire_add_number(message, "signal", WTERMSIG(process->wait_status));
    else
        hn_wire_add_number(message, "status", WEXITSTATUS(process->wait_status));
    const int64_t cpu =
        (int64_t)(process->usage.ru_utime.tv_sec + process->usage.ru_stime.tv_sec) * 1000000 +
        process->usage.ru_utime.tv_usec + process->usage.ru_stime.tv_usec + process->bare_us;
    hn_wire_add_number(message, "cpu-us", cpu);
    hn_wire_add_number(message, "rss-kib", process->usage.ru_maxrss);
    hn_wire_add_number(message, "left-behind", process->left_behind);
    if (process->left_memory[0])
        hn_wire_add(message, "left-memory", process->left_memory);
}

/* `how` is "ended" if the process continues with the next job, else "exited". */
static void send_finished(struct process *process, const char *how)
{
    struct hn_wire message = {0};
    const struct hn_job_row *job = &process->request->jobs[process->job];
    hn_wire_begin(&message, HN_WIRE_FINISHED);
    hn_wire_add(&message, "id", job->check.id);
    hn_wire_add(&message, "how", how);
    hn_wire_add(&message, "stage", hn_stage_names[process->stage]);
    const int64_t end_us = process->end_us ? process->end_us : hn_clock_now_ns() / 1000;
    hn_wire_add_number(&message, "duration-us", end_us - process->job_start_us);
    hn_wire_add_number(&message, "out-bytes", (int64_t)hn_capture_settle(&process->out));
    hn_wire_add_number(&message, "err-bytes", (int64_t)hn_capture_settle(&process->err));
    hn_wire_add_number(&message, "limit-ms", process->request->limit_ms[HN_STAGE_CHECK]);
    hn_wire_add_number(&message, "extended-ms", process->extended_ms);
    if (process->at_work[0])
        hn_wire_add(&message, "at-work", process->at_work);
    if (process->cause)
        hn_wire_add(&message, "cause", process->cause);
    if (strcmp(how, "exited") == 0)
        add_death(process, &message);
    add_mark(&message, job->folder);
    say(process->host, &message);
    process->reported = process->job + 1;
}

static void begin_job(struct process *process, size_t index)
{
    const struct hn_job_row *job = &process->request->jobs[index];
    process->job = index;
    process->job_start_us = hn_clock_now_ns() / 1000;
    hn_capture_aim(&process->out, job->folder, "out.txt");
    hn_capture_aim(&process->err, job->folder, "err.txt");
    send_started(process);
}

/* ---- watching ---- */

static void drain_output(struct process *process)
{
    hn_capture_drain(&process->out);
    hn_capture_drain(&process->err);
}

static void take_progress(struct process *process, const struct hn_stage_report *progress)
{
    /* A stage is never entered twice, so a check that writes to the progress pipe can only shorten
     * its own deadline. */
    if (progress->job != process->job || progress->stage >= HN_STAGE_COUNT ||
        (enum hn_stage)progress->stage <= process->stage)
        return;
    arm(process, (enum hn_stage)progress->stage);
    const int is_last = process->job + 1 == process->request->job_count;
    if (progress->stage != HN_STAGE_ENDED || is_last)
        return;
    /* Read the output first, because the job wrote its output before it reported its end. */
    drain_output(process);
    send_finished(process, "ended");
    begin_job(process, process->job + 1);
    arm(process, HN_STAGE_CHECK);
}

static void read_progress(struct process *process)
{
    struct hn_stage_report progress;
    ssize_t got = sizeof progress;
    for (int left = REPORTS_A_TURN; left > 0 && got == sizeof progress; left--) {
        got = read(process->progress, &progress, sizeof progress);
        if (got == sizeof progress)
            take_progress(process, &progress);
    }
    if (got == 0) {
        close(process->progress);
        process->progress = -1;
    }
}

/* Takes the next step to end a process. A stopped process receives only KILL and CONT. */
static void end_harder(struct process *process)
{
    static const struct {
        int signal_number, to_group;
    } steps[] = {
        [ASKED_STACK] = {SIGUSR2, 0}, [SENT_TERM] = {SIGTERM, 1}, [SENT_KILL] = {SIGKILL, 1}};
    if (process->ending == SENT_KILL)
        return;
    process->ending++;
    if (steps[process->ending].to_group)
        kill(-process->pid, steps[process->ending].signal_number);
    /* it may have left its process group */
    kill(process->pid, steps[process->ending].signal_number);
    if (process->ending == ASKED_STACK)
        kill(-process->pid, SIGCONT);
    process->deadline_ms =
        process->ending == SENT_KILL ? NEVER : hn_clock_now_ms() + process->request->term_grace_ms;
}

static void end_because(struct process *process, const char *cause)
{
    if (process->ending != RUNNING)
        return;
    process->cause = cause;
    if (strcmp(cause, "timeout") != 0)
        process->ending = ASKED_STACK; /* a stack dump would not help */
    end_harder(process);
}

static uint32_t moves_of(const struct process *process)
{
    struct hn_mark mark;
    return hn_mark_read(process->request->jobs[process->job].folder, &mark) == 0 ? mark.moves : 0;
}

static int is_at_work(struct process *process, pid_t ancestor)
{
    return ancestor > 0 &&
           hn_descendants_at_work(ancestor, process->at_work, sizeof process->at_work);
}

/* Called when the deadline passed. On a busy machine, a check waits for a processor and not for the
 * device. Time in which it waited for a processor does not count, up to the time of the check. */
static int is_lent_time(struct process *process)
{
    const int64_t limit = process->request->limit_ms[HN_STAGE_CHECK];
    if (process->stage != HN_STAGE_CHECK)
        return 0;
    const int64_t waited = hn_waited_ms(process->pid) - process->waited_ms;
    const int64_t lent = waited < limit ? waited : limit;
    if (lent - process->lent_ms <= limit / LEAST_LENT)
        return 0;
    process->deadline_ms += lent - process->lent_ms;
    process->lent_ms = lent;
    return 1;
}

/* Called when the deadline passed. If a compiler were killed, the next attempt would start it again
 * and time out too. While a compiler is running, the deadline is therefore extended, up to a
 * limit. */
static int is_extended(struct process *process)
{
    const int64_t limit = process->request->limit_ms[HN_STAGE_CHECK];
    if (process->stage != HN_STAGE_CHECK)
        return 0;
    const int at_work = is_at_work(process, process->pid) || is_at_work(process, hn_bare_pid());
    if (!at_work)
        snprintf(process->at_work, sizeof process->at_work, "%s",
                 moves_of(process) != process->moves ? "the check" : "");
    if (!at_work || process->extended_ms >= process->request->more_ms)
        return 0;
    process->extended_ms += limit;
    process->deadline_ms = hn_clock_now_ms() + limit;
    return 1;
}

static void watch_half_time(struct process *process)
{
    process->half_ms = NEVER;
    process->moves = moves_of(process);
}

static void watch_deadline(struct process *process)
{
    if (process->ending != RUNNING)
        end_harder(process);
    else if (!is_lent_time(process) && !is_extended(process))
        end_because(process, "timeout");
}

static void watch_folder(struct process *process)
{
    process->folder_check_ms = hn_clock_now_ms() + FOLDER_INTERVAL_MS;
    const int64_t limit = process->request->folder_limit;
    if (limit > 0 && hn_folder_size(process->request->jobs[process->job].folder) > limit)
        end_because(process, "folder");
}

static void hear_supervisor(struct process *process)
{
    struct hn_wire message = {0};
    const int got = hn_wire_receive(process->host->control, &message);
    if (got <= 0)
        process->hangup = 1;
    if (got <= 0 || message.type == HN_WIRE_CANCEL) {
        process->cause = process->cause ? process->cause : "cancel";
        process->ending = SENT_TERM;
        end_harder(process);
    }
    hn_wire_finish(&message);
}

static int has_exited(const struct process *process)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process->pid;
}

static void watch(struct process *process)
{
    enum { LIFE, OUT, ERR, PROGRESS, CONTROL, COUNT };
    for (int alive = 1; alive;) {
        struct pollfd events[COUNT] = {
            [LIFE] = {process->pidfd, POLLIN, 0},
            [OUT] = {process->out.pipe, POLLIN, 0},
            [ERR] = {process->err.pipe, POLLIN, 0},
            [PROGRESS] = {process->progress, POLLIN, 0},
            [CONTROL] = {process->hangup ? -1 : process->host->control, POLLIN, 0},
        };
        const int64_t now = hn_clock_now_ms();
        int64_t wait = process->folder_check_ms;
        if (process->deadline_ms < wait)
            wait = process->deadline_ms;
        if (process->half_ms < wait)
            wait = process->half_ms;
        poll(events, COUNT, (int)(wait > now ? wait - now : 0));
        if (events[OUT].revents)
            hn_capture_drain(&process->out);
        if (events[ERR].revents)
            hn_capture_drain(&process->err);
        if (events[PROGRESS].revents)
            read_progress(process);
        if (events[CONTROL].revents)
            hear_supervisor(process);
        if (hn_clock_now_ms() >= process->half_ms)
            watch_half_time(process);
        if (hn_clock_now_ms() >= process->deadline_ms)
            watch_deadline(process);
        if (hn_clock_now_ms() >= process->folder_check_ms)
            watch_folder(process);
        alive = process->pidfd >= 0 ? !events[LIFE].revents : !has_exited(process);
    }
}

/* ---- death ---- */

static void reap(struct process *process)
{
    /* The last report, the stage in which the process died, may still be in the pipe. */
    if (process->progress >= 0)
        read_progress(process);
    process->end_us = hn_clock_now_ns() / 1000;
    kill(-process->pid, SIGKILL);
    while (wait4(process->pid, &process->wait_status, 0, &process->usage) < 0 && errno == EINTR)
        continue;
    group_under_way = 0;
    process->left_behind = hn_bare_end_others();
    process->bare_us = hn_bare_spent_us();
    hn_shared_memory_remove(process->pid, process->left_memory, sizeof process->left_memory);
    drain_output(process); /* one call reads more than a pipe can hold */
}

static void report(struct process *process)
{
    struct hn_wire message = {0};
    send_finished(process, "exited");
    hn_wire_begin(&message, HN_WIRE_IDLE);
    say(process->host, &message);
}

static void process_finish(struct process *process)
{
    hn_capture_finish(&process->out);
    hn_capture_finish(&process->err);
    if (process->progress >= 0)
        close(process->progress);
    if (process->pidfd >= 0)
        close(process->pidfd);
}

/* Called in the host after a successful fork: stores the ends of the pipes that the host uses. */
static void take_over(struct process *process, struct hn_job_pipes *pipes)
{
    /* parent and child both call setpgid, so that neither has to wait */
    setpgid(process->pid, process->pid);
    group_under_way = process->pid;
    process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    close(pipes->out[1]);
    close(pipes->err[1]);
    close(pipes->progress[1]);
    hn_capture_init(&process->out, pipes->out[0]);
    hn_capture_init(&process->err, pipes->err[0]);
    process->progress = pipes->progress[0];
    fcntl(process->progress, F_SETFL, O_NONBLOCK);
    process->folder_check_ms = hn_clock_now_ms() + FOLDER_INTERVAL_MS;
}

/* Like fork(2), but tries again for a while, because fork fails on a busy machine and that is no
 * evidence about the check. Gives up at once when the supervisor sends a message. */
static pid_t fork_patiently(const struct hn_host *host, pid_t self)
{
    struct pollfd event = {host->control, POLLIN, 0};
    for (const int64_t until = hn_clock_now_ms() + FORK_PATIENCE_MS;;) {
        const pid_t pid = host->callbacks->fork(host->callbacks->context);
        /* If a Python fork callback raises, the fork returns 0 in the parent. */
        if (pid > 0 || (pid == 0 && getpid() != self))
            return pid;
        if (hn_clock_now_ms() >= until || poll(&event, 1, FORK_INTERVAL_MS) > 0)
            return -1;
    }
}

static void report_refusal(const struct process *process)
{
    struct hn_wire message = {0};
    hn_wire_begin(&message, HN_WIRE_FINISHED);
    hn_wire_add(&message, "id", process->request->jobs[0].check.id);
    hn_wire_add(&message, "how", "exited");
    hn_wire_add(&message, "cause", "refused");
    hn_wire_add(&message, "stage", hn_stage_names[HN_STAGE_START]);
    say(process->host, &message);
    hn_wire_begin(&message, HN_WIRE_IDLE);
    say(process->host, &message);
}

int hn_job_process_run(struct hn_host *host, const struct hn_request *request,
                       const struct hn_wire *message, int *status)
{
    struct process process = {.host = host, .request = request, .pidfd = -1, .progress = -1};
    struct hn_job_pipes pipes;
    if (hn_job_pipes_open(&pipes) != 0)
        return HN_PROCESS_ERROR;
    const pid_t self = getpid();
    hn_shared_memory_look();
    process.pid = fork_patiently(host, self);
    if (process.pid < 0) {
        hn_job_pipes_close(&pipes);
        report_refusal(&process);
        return HN_PROCESS_DONE;
    }
    if (process.pid == 0) {
        hn_job_become(&pipes, self, host->control, host->setup.foreground);
        *status = run_in_child(&process, message, pipes.progress[1]);
        return HN_PROCESS_CHILD;
    }
    take_over(&process, &pipes);
    begin_job(&process, 0);
    arm(&process, HN_STAGE_START);
    watch(&process);
    reap(&process);
    if (host->setup.foreground)
        hn_terminal_take();
    report(&process);
    process_finish(&process);
    return process.hangup ? HN_PROCESS_HANGUP : HN_PROCESS_DONE;
}
