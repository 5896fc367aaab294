/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts `assay run --nursery` at a socket in a folder of its own. Whoever connects before it is
 * ready waits; when it is dead, connecting fails and a run starts its hosts itself.
 */
#include "proof_nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE "ASSAY_NURSERY="
#define BACKLOG 64
#define LISTENER 3 /* its number in the nursery */

static const char *socket_path(const struct hn_proof_nursery *nursery)
{
    return nursery->setting + strlen(VARIABLE);
}

static int listen_at(const char *path, int *listener, struct hn_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    *listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener < 0 || bind(*listener, (const struct sockaddr *)&address, sizeof address) != 0 ||
        listen(*listener, BACKLOG) != 0)
        return hn_error_errno(error, "cannot listen at %s", path);
    return HN_OK;
}

static int spawn(struct hn_proof_nursery *nursery, const char *program, const char *target,
                 char **environment, const int files[2])
{
    char *words[] = {(char *)(uintptr_t)program, "run",         "--target",
                     (char *)(uintptr_t)target,  "--nursery=3", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, files[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, files[1], LISTENER);
    const int failed = posix_spawn(&nursery->pid, program, &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int hn_proof_nursery_start(struct hn_proof_nursery *nursery, const char *program,
                           const char *target, char **environment, struct hn_error *error)
{
    int alive[2] = {-1, -1}, listener = -1, status = HN_OK;
    *nursery = (struct hn_proof_nursery){.folder = "/tmp/assay-XXXXXX", .alive = -1};
    if (!mkdtemp(nursery->folder))
        return hn_error_errno(error, "cannot make the folder %s", nursery->folder);
    snprintf(nursery->setting, sizeof nursery->setting, VARIABLE "%s/hosts", nursery->folder);
    if (pipe2(alive, O_CLOEXEC) != 0)
        status = hn_error_errno(error, "cannot make a pipe");
    if (status == HN_OK)
        status = listen_at(socket_path(nursery), &listener, error);
    const int files[2] = {alive[0], listener};
    if (status == HN_OK && (errno = spawn(nursery, program, target, environment, files)) != 0)
        status = hn_error_errno(error, "cannot start %s", program);
    if (listener >= 0)
        close(listener);
    if (alive[0] >= 0)
        close(alive[0]);
    nursery->alive = alive[1];
    if (status != HN_OK)
        hn_proof_nursery_stop(nursery);
    return status;
}

void hn_proof_nursery_stop(struct hn_proof_nursery *nursery)
{
    if (nursery->alive >= 0)
        close(nursery->alive);
    while (nursery->pid > 0 && waitpid(nursery->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    unlink(socket_path(nursery));
    rmdir(nursery->folder);
}
