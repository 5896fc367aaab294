/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See foreground.h. A signal from the terminal is not forwarded, because it reaches the whole
 * process group.
 */
#include "foreground.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "environment.h"
#include "file.h"

static void become(const char *const *words, char **environment, const sigset_t *before, int tell)
{
    sigprocmask(SIG_SETMASK, before, NULL);
    execvpe(words[0], (char *const *)(uintptr_t)words, environment);
    const int why = errno;
    _exit(write(tell, &why, sizeof why) == sizeof why ? 127 : 126);
}

/* Returns 0, or the errno of a failed start. */
static int start(const char *const *words, char **environment, const sigset_t *before, pid_t *pid)
{
    int said[2], why = 0;
    if (pipe2(said, O_CLOEXEC))
        return errno;
    *pid = fork();
    if (*pid == 0)
        become(words, environment, before, said[1]);
    why = *pid < 0 ? errno : 0;
    close(said[1]);
    if (*pid > 0 && read(said[0], &why, sizeof why) > 0)
        waitpid(*pid, NULL, 0);
    close(said[0]);
    return why;
}

static void wait_for(pid_t pid, const sigset_t *signals, int *status)
{
    siginfo_t came;
    for (;;) {
        const int number = sigwaitinfo(signals, &came);
        if (number == SIGCHLD && waitpid(pid, status, WNOHANG) == pid)
            return;
        if (number > 0 && number != SIGCHLD && came.si_code != SI_KERNEL)
            kill(pid, number);
    }
}

int hn_foreground_run(const char *const *words, const char *const *settings, size_t setting_count,
                      int *status, struct hn_error *error)
{
    static const int passed_on[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    const struct hn_settings on_top = {settings, setting_count};
    sigset_t signals, before;
    pid_t pid = 0;
    char **environment = hn_environment_make(&on_top, 1);
    if (!environment)
        return hn_error_nomem(error);
    sigemptyset(&signals);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaddset(&signals, passed_on[i]);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const int why = start(words, environment, &before, &pid);
    if (!why)
        wait_for(pid, &signals, status);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(environment);
    errno = why;
    return why ? hn_error_errno(error, "cannot start %s", words[0]) : HN_OK;
}

int hn_program_can_start(const char *program)
{
    char path[HN_PATH_SIZE];
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return access(program, X_OK) == 0;
    for (const char *at = folders ? folders : "/bin:/usr/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        snprintf(path, sizeof path, "%.*s/%s", (int)strcspn(at, ":"), at, program);
        if (access(path, X_OK) == 0)
            return 1;
    }
    return 0;
}
