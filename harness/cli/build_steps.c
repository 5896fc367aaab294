/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See build_steps.h. Each step is a process group of its own and is killed as one at its deadline.
 */
#include "build_steps.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file.h"

#define BUILD_S 3600
#define LOG_FLAGS (O_WRONLY | O_CREAT | O_APPEND)

extern char **environ;

static int is_set_by(const struct hn_run_target *target, const char *entry)
{
    const size_t name = strcspn(entry, "=") + 1;
    for (size_t i = 0; i < target->environment_count; i++)
        if (strncmp(target->environment[i], entry, name) == 0)
            return 1;
    return 0;
}

/* The user's environment under the target's. The strings stay where they are. */
static char **merge_environment(const struct hn_run_target *target)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **merged = calloc(count + target->environment_count + 1, sizeof *merged);
    for (size_t i = 0; merged && i < count; i++)
        if (!is_set_by(target, environ[i]))
            merged[used++] = environ[i];
    for (size_t i = 0; merged && i < target->environment_count; i++)
        memcpy(&merged[used++], &target->environment[i], sizeof *merged);
    return merged;
}

/* 0, or the errno of why it cannot be started. */
static int start(const struct hn_profile *profile, const struct hn_profile_build *step,
                 const char *log, char **environment, pid_t *pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    char **words = calloc(step->count + 1, sizeof *words);
    if (!words)
        return ENOMEM;
    memcpy(words, step->run, step->count * sizeof *words);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, LOG_FLAGS, 0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, *profile->folder ? profile->folder : ".");
    const int failed = posix_spawnp(pid, words[0], &actions, &attributes, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(words);
    return failed;
}

/* How it ended, "" when all is well. */
static void wait_for(pid_t pid, int seconds, char *how, size_t size)
{
    int status = 0;
    const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd gone = {.fd = descriptor, .events = POLLIN};
    const int in_time = descriptor >= 0 && poll(&gone, 1, seconds * 1000) == 1;
    kill(-pid, SIGKILL); /* also what the step left behind */
    waitpid(pid, &status, 0);
    if (descriptor >= 0)
        close(descriptor);
    how[0] = '\0';
    if (!in_time)
        snprintf(how, size, "did not end within %d s", seconds);
    else if (WIFSIGNALED(status))
        snprintf(how, size, "died of signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        snprintf(how, size, "ended with exit status %d", WEXITSTATUS(status));
}

int hn_build_steps_run(const struct hn_profile *profile, const struct hn_run_target *target,
                       const char *folder, char failed[HN_BUILD_FAILED], struct hn_error *error)
{
    char log[HN_PATH_SIZE], how[128] = "";
    char **environment = NULL;
    const int seconds = profile->timeouts.build > 0 ? profile->timeouts.build : BUILD_S;
    int status = hn_path_join(log, sizeof log, folder, HN_BUILD_LOG, error);
    failed[0] = '\0';
    if (status == HN_OK && profile->build_count && !(environment = merge_environment(target)))
        status = hn_error_nomem(error);
    for (size_t i = 0; status == HN_OK && !*how && i < profile->build_count; i++) {
        pid_t pid = 0;
        const struct hn_profile_build *step = &profile->build[i];
        const int refused = start(profile, step, log, environment, &pid);
        if (refused)
            snprintf(how, sizeof how, "cannot be started: %s", strerror(refused));
        else
            wait_for(pid, seconds, how, sizeof how);
        if (*how)
            snprintf(failed, HN_BUILD_FAILED, "build step %zu (%.200s) %s; its words are in %s",
                     i + 1, step->run[0], how, HN_BUILD_LOG);
    }
    free(environment);
    return status;
}
