/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See side_process.h. What it starts is adopted by us when its parent dies, and so is found.
 */
#include "side_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "descendants.h"
#include "environment.h"

#define SECOND_MS 1000
#define LOG_FLAGS (O_WRONLY | O_CREAT | O_APPEND)

static void direct_output(posix_spawn_file_actions_t *actions,
                          const struct hn_side_process *process)
{
    const char *const log = process->log;
    posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (log) {
        posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, log, LOG_FLAGS, 0644);
        posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);
    } else { /* what it prints is no answer of ours */
        posix_spawn_file_actions_adddup2(actions, process->answer ? process->answer : STDERR_FILENO,
                                         STDOUT_FILENO);
    }
}

/* 0, or the errno of why it cannot be started. */
static int start(const struct hn_side_process *process, const sigset_t *mask, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    const struct hn_settings settings = {process->settings, process->setting_count};
    char **environment = hn_environment_make(&settings, 1);
    if (!environment)
        return ENOMEM;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawn_file_actions_init(&actions);
    direct_output(&actions, process);
    if (process->folder && *process->folder)
        posix_spawn_file_actions_addchdir_np(&actions, process->folder);
    const int failed = posix_spawnp(pid, process->words[0], &actions, &attributes,
                                    (char *const *)(uintptr_t)process->words, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return failed;
}

enum waiting { IT_ENDED, IT_IS_LATE, WE_MUST_STOP };

/* As poll(2), up to the deadline, with a tick of the progress each second. */
static int poll_and_tick(struct pollfd *events, nfds_t count, const struct hn_side_process *process)
{
    const int64_t until = hn_clock_now_ms() + process->deadline_ms;
    for (int64_t left; (left = until - hn_clock_now_ms()) > 0;) {
        const int came = poll(events, count, left < SECOND_MS ? (int)left : SECOND_MS);
        if (came > 0 || (came < 0 && errno != EINTR))
            return came;
        if (process->progress)
            hn_progress_tick(process->progress, "");
    }
    return 0;
}

static enum waiting wait_for(pid_t pid, const struct hn_side_process *process,
                             const sigset_t *stops)
{
    struct pollfd events[2] = {{(int)syscall(SYS_pidfd_open, pid, 0), POLLIN, 0},
                               {signalfd(-1, stops, SFD_CLOEXEC), POLLIN, 0}};
    struct signalfd_siginfo stop;
    poll_and_tick(events, 2, process);
    if (events[1].revents && read(events[1].fd, &stop, sizeof stop) < 0)
        events[1].revents = 0;
    for (int i = 0; i < 2; i++)
        if (events[i].fd >= 0)
            close(events[i].fd);
    if (events[1].revents)
        return WE_MUST_STOP;
    return events[0].revents ? IT_ENDED : IT_IS_LATE;
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

int hn_side_process_run(const struct hn_side_process *process, char ended[HN_SIDE_ENDED],
                        struct hn_error *error)
{
    pid_t pid = 0;
    int status = 0;
    sigset_t stops, before;
    enum waiting how = IT_ENDED;
    sigemptyset(&stops);
    sigaddset(&stops, SIGINT);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGHUP);
    hn_descendants_adopt();
    sigprocmask(SIG_BLOCK, &stops, &before);
    const int refused = start(process, &before, &pid);
    if (!refused) {
        how = wait_for(pid, process, &stops);
        if (process->progress)
            hn_progress_finish(process->progress);
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
        hn_descendants_end(NULL, 0);
    }
    describe_end(status, ended);
    if (refused)
        snprintf(ended, HN_SIDE_ENDED, "cannot be started: %s", strerror(refused));
    if (how == IT_IS_LATE)
        snprintf(ended, HN_SIDE_ENDED, "did not end within %lld s",
                 (long long)process->deadline_ms / 1000);
    if (how == WE_MUST_STOP)
        hn_error_set(error, HN_ESYSTEM, "stopped while %s was under way", process->words[0]);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return how == WE_MUST_STOP ? HN_ESYSTEM : HN_OK;
}
