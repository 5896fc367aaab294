/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See side_process.h. When the parent of a descendant dies, the descendant becomes a child of
 * this program, which then finds it.
 */
#include "side_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "descendants.h"
#include "environment.h"
#include "process_usage.h"

#define SECOND_MS 1000
#define POLLING 300 /* a process that polls a lock uses less than this part of a processor */
/* sampling interval, in which a program that prints without end writes some ten megabytes */
#define LOOK_MS 100
#define OUTPUT_LIMIT ((int64_t)64 << 20)
#define LOG_FLAGS (O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC)

/* The files to which the process prints, whose size is limited; none for a terminal or a pipe. */
struct printed {
    int files[2];
    int64_t begin;
};

static int64_t size_of(const struct printed *printed)
{
    struct stat facts;
    int64_t size = 0;
    for (int i = 0; i < 2; i++)
        if (printed->files[i] >= 0 && fstat(printed->files[i], &facts) == 0 &&
            S_ISREG(facts.st_mode))
            size += facts.st_size;
    return size;
}

/* Returns -1 if the log cannot be opened. */
static int open_output(const struct hn_side_process *process, struct printed *printed)
{
    if (process->log)
        *printed = (struct printed){.files = {open(process->log, LOG_FLAGS, 0644), -1}};
    else /* captures standard output only if it is an answer */
        *printed = (struct printed){.files = {process->answer ? process->answer : STDERR_FILENO,
                                              process->answer ? STDERR_FILENO : -1}};
    printed->begin = size_of(printed);
    return printed->files[0] < 0 ? -1 : 0;
}

static void close_output(const struct hn_side_process *process, const struct printed *printed)
{
    if (process->log && printed->files[0] >= 0)
        close(printed->files[0]);
}

/* Called in the child: it dies with this program. Resets signal handlers and masks. */
static int become(const struct hn_side_process *process, const struct printed *printed,
                  const sigset_t *mask, char **environment, pid_t parent)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    dup2(nothing, STDIN_FILENO);
    dup2(printed->files[0], STDOUT_FILENO);
    if (process->log)
        dup2(printed->files[0], STDERR_FILENO);
    if (process->folder && *process->folder && chdir(process->folder))
        return errno;
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvpe(process->words[0], (char *const *)(uintptr_t)process->words, environment);
    return errno;
}

/* Returns 0, or the errno of a failed start. */
static int start(const struct hn_side_process *process, const struct printed *printed,
                 const sigset_t *mask, pid_t *pid)
{
    const struct hn_settings settings = {process->settings, process->setting_count};
    const pid_t parent = getpid();
    int failed = 0, said[2];
    char **environment = hn_environment_make(&settings, 1);
    if (!environment)
        return ENOMEM;
    if (pipe2(said, O_CLOEXEC)) {
        failed = errno;
        free(environment);
        return failed;
    }
    *pid = fork();
    if (*pid == 0) {
        failed = become(process, printed, mask, environment, parent);
        _exit(write(said[1], &failed, sizeof failed) != sizeof failed);
    }
    failed = *pid < 0 ? errno : 0;
    close(said[1]);
    if (*pid > 0 && read(said[0], &failed, sizeof failed) > 0)
        waitpid(*pid, NULL, 0);
    close(said[0]);
    free(environment);
    return failed;
}

enum waiting {
    IT_ENDED,
    IT_IS_LATE,
    IT_PRINTS_TOO_MUCH,
    IT_IS_TOO_LARGE,
    IT_IS_IDLE,
    WE_MUST_STOP
};

static int64_t most_resident(const struct hn_side_process *process)
{
    return process->most_resident ? process->most_resident : hn_resident_limit();
}

/* The last time at which the process had used more processor time than polling needs. */
struct activity {
    int64_t used_ms, at_ms;
};

static int is_idle(struct activity *last, pid_t pid, const struct hn_side_process *process)
{
    const int64_t now = hn_clock_now_ms(), used = process->idle_ms ? hn_processor_ms(pid) : 0;
    if (used - last->used_ms > process->idle_ms / POLLING)
        *last = (struct activity){used, now};
    return process->idle_ms && now - last->at_ms > process->idle_ms;
}

/* Like poll(2), up to the deadline. Also checks the output, memory and activity of the process, and
 * updates the progress. */
static enum waiting watch(struct pollfd *events, pid_t pid, const struct hn_side_process *process,
                          const struct printed *printed)
{
    const int64_t until = hn_clock_now_ms() + process->deadline_ms;
    int64_t second = hn_clock_now_ms() + SECOND_MS;
    struct activity last = {0, hn_clock_now_ms()};
    for (int64_t left; (left = until - hn_clock_now_ms()) > 0;) {
        const int came = poll(events, 2, left < LOOK_MS ? (int)left : LOOK_MS);
        if (came > 0 || (came < 0 && errno != EINTR))
            return events[1].revents ? WE_MUST_STOP : IT_ENDED;
        if (size_of(printed) - printed->begin > OUTPUT_LIMIT)
            return IT_PRINTS_TOO_MUCH;
        if (hn_resident_bytes(pid) > most_resident(process))
            return IT_IS_TOO_LARGE;
        if (hn_clock_now_ms() < second)
            continue;
        second += SECOND_MS;
        if (is_idle(&last, pid, process))
            return IT_IS_IDLE;
        if (process->progress)
            hn_progress_tick(process->progress, "");
    }
    return IT_IS_LATE;
}

/* Sets `stop` to the signal that stopped this program. */
static enum waiting wait_for(pid_t pid, const struct hn_side_process *process,
                             const struct printed *printed, const sigset_t *stops, int *stop)
{
    struct pollfd events[2] = {{(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0},
                               {signalfd(-1, stops, SFD_CLOEXEC), POLLIN, 0}};
    struct signalfd_siginfo signal = {.ssi_signo = SIGTERM};
    const enum waiting how = watch(events, pid, process, printed);
    if (how == WE_MUST_STOP && read(events[1].fd, &signal, sizeof signal) == sizeof signal)
        *stop = (int)signal.ssi_signo;
    for (int i = 0; i < 2; i++)
        if (events[i].fd >= 0)
            close(events[i].fd);
    return how;
}

static void describe_end(int status, char ended[HN_SIDE_ENDED])
{
    ended[0] = '\0';
    if (WIFSIGNALED(status))
        snprintf(ended, HN_SIDE_ENDED, "died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        snprintf(ended, HN_SIDE_ENDED, "ended with exit status %d", WEXITSTATUS(status));
}

static void describe(enum waiting how, const struct hn_side_process *process,
                     char ended[HN_SIDE_ENDED])
{
    if (how == IT_IS_LATE)
        snprintf(ended, HN_SIDE_ENDED, "did not end within %lld s",
                 (long long)process->deadline_ms / 1000);
    if (how == IT_IS_IDLE)
        snprintf(ended, HN_SIDE_ENDED, "used no processor time for %lld s and was ended",
                 (long long)process->idle_ms / 1000);
    if (how == IT_PRINTS_TOO_MUCH)
        snprintf(ended, HN_SIDE_ENDED, "printed more than %lld MiB and was ended",
                 (long long)(OUTPUT_LIMIT >> 20));
    if (how == IT_IS_TOO_LARGE)
        snprintf(ended, HN_SIDE_ENDED, "held more than %lld MiB of memory and was ended",
                 (long long)(most_resident(process) >> 20));
}

/* The signals are blocked, so that an arriving signal waits until it is read. */
static int run_beside(const struct hn_side_process *process, const sigset_t *stops,
                      const sigset_t *before, char ended[HN_SIDE_ENDED], struct hn_error *error)
{
    struct printed printed;
    pid_t pid = 0;
    int status = 0, stop = SIGTERM;
    enum waiting how = IT_ENDED;
    const int refused =
        open_output(process, &printed) ? errno : start(process, &printed, before, &pid);
    if (!refused) {
        how = wait_for(pid, process, &printed, stops, &stop);
        if (process->progress)
            hn_progress_finish(process->progress);
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL); /* the child may have no process group of its own yet */
        waitpid(pid, &status, 0);
        hn_descendants_end(NULL, 0);
    }
    close_output(process, &printed);
    describe_end(status, ended);
    describe(how, process, ended);
    if (refused)
        snprintf(ended, HN_SIDE_ENDED, "cannot be started: %s", strerror(refused));
    if (how != WE_MUST_STOP)
        return HN_OK;
    return hn_error_set(error, HN_STOPPED_BY(stop), "stopped while %s was under way",
                        process->words[0]);
}

int hn_side_process_run(const struct hn_side_process *process, char ended[HN_SIDE_ENDED],
                        struct hn_error *error)
{
    sigset_t stops, before;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    hn_descendants_adopt();
    sigprocmask(SIG_BLOCK, &stops, &before);
    const int status = run_beside(process, &stops, &before, ended, error);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
