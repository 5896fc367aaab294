/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See probe_process.h. The process is its own group and is killed as one at its deadline.
 */
#include "probe_process.h"

#include <errno.h>
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

#define ANSWER_LIMIT ((size_t)4 << 20)

extern char **environ;

static int sets(const char *setting, const char *entry)
{
    const size_t name = strcspn(setting, "=");
    return strncmp(setting, entry, name + 1) == 0;
}

/* Ours where the settings say nothing else, then the settings. The strings stay where they are. */
static char **merge_environment(const struct hn_probe_process *process)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **merged = calloc(count + process->environment_count + 1, sizeof *merged);
    for (size_t i = 0; merged && i < count; i++) {
        int replaced = 0;
        for (size_t k = 0; k < process->environment_count; k++)
            replaced |= sets(process->environment[k], environ[i]);
        if (!replaced)
            merged[used++] = environ[i];
    }
    for (size_t k = 0; merged && k < process->environment_count; k++)
        memcpy(&merged[used++], &process->environment[k], sizeof *merged);
    return merged;
}

static int start(const struct hn_probe_process *process, const char *request, const char *answer,
                 pid_t *pid, struct hn_error *error)
{
    const char *words[] = {process->python, "-m", "assay_host.probe", request, answer, NULL};
    char *arguments[sizeof words / sizeof *words];
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    char **environment = merge_environment(process);

    if (!environment)
        return hn_error_nomem(error);
    memcpy(arguments, words, sizeof words);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawn_file_actions_init(&actions);
    /* What a backend prints is no answer of ours. */
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    const int failed =
        posix_spawnp(pid, process->python, &actions, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    errno = failed;
    return failed ? hn_error_errno(error, "cannot start %s", process->python) : HN_OK;
}

static void wait_for(pid_t pid, int64_t deadline_ms, char ended[HN_PROBE_ENDED])
{
    int status = 0;
    const int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd gone = {.fd = descriptor, .events = POLLIN};
    const int in_time = descriptor >= 0 && poll(&gone, 1, (int)deadline_ms) == 1;

    kill(-pid, SIGKILL);
    waitpid(pid, &status, 0);
    if (descriptor >= 0)
        close(descriptor);
    ended[0] = '\0';
    if (!in_time)
        snprintf(ended, HN_PROBE_ENDED, "did not end within %lld s", (long long)deadline_ms / 1000);
    else if (WIFSIGNALED(status))
        snprintf(ended, HN_PROBE_ENDED, "died of signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != 0)
        snprintf(ended, HN_PROBE_ENDED, "ended with exit status %d", WEXITSTATUS(status));
}

int hn_probe_ask(const struct hn_probe_process *process, const char *request, size_t length,
                 char **answer, size_t *answer_length, char ended[HN_PROBE_ENDED],
                 struct hn_error *error)
{
    char question[HN_PATH_SIZE], reply[HN_PATH_SIZE];
    pid_t pid;
    *answer = NULL;
    int status = hn_path_join(question, sizeof question, process->folder, "request.json", error);
    if (status == HN_OK)
        status = hn_path_join(reply, sizeof reply, process->folder, "answer.json", error);
    if (status != HN_OK)
        return status;
    unlink(reply);
    status = hn_file_write(question, request, length, error);
    if (status == HN_OK)
        status = start(process, question, reply, &pid, error);
    if (status == HN_OK) {
        wait_for(pid, process->deadline_ms, ended);
        if (hn_path_exists(reply))
            status = hn_file_read(reply, ANSWER_LIMIT, answer, answer_length, error);
    }
    unlink(question);
    unlink(reply);
    return status;
}
