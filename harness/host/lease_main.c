/* SPDX-License-Identifier: BSD-3-Clause
 *
 * assay-lease SOCKET PROGRAM...: stands in for a host that a nursery forks. The supervisor starts
 * and ends it like a host; it hands its pipes to the nursery and lives as long as the host there.
 * Without a nursery at SOCKET it becomes PROGRAM itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nursery.h"
#include "wire.h"

extern char **environ;

static int call_nursery(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line < 0)
        return -1;
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    if (connect(line, (const struct sockaddr *)&address, sizeof address) == 0)
        return line;
    close(line);
    return -1;
}

static int send_files(int line, int control)
{
    const int files[HN_LEASE_FILES] = {[HN_LEASE_CONTROL] = control,
                                       [HN_LEASE_OUT] = STDOUT_FILENO,
                                       [HN_LEASE_ERR] = STDERR_FILENO};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof files)];
    } room = {0};
    struct iovec piece = {"", 1};
    const struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof files);
    memcpy(CMSG_DATA(header), files, sizeof files);
    return sendmsg(line, &message, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

static int send_words(int line)
{
    char folder[4096];
    struct hn_wire words = {0};
    hn_wire_begin(&words, HN_WIRE_SETUP);
    if (getcwd(folder, sizeof folder))
        hn_wire_add(&words, HN_LEASE_FOLDER, folder);
    for (char **setting = environ; *setting; setting++)
        hn_wire_add(&words, HN_LEASE_SETTING, *setting);
    const int status = hn_wire_send(line, &words);
    hn_wire_finish(&words);
    return status;
}

static int wait_for_host(int line)
{
    int status = 0;
    if (recv(line, &status, sizeof status, MSG_WAITALL) != sizeof status)
        return EXIT_FAILURE; /* the nursery is gone, and the host with it */
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **arguments)
{
    const char *last = count > 2 ? strchr(arguments[count - 1], '=') : NULL;
    if (!last) {
        fputs("usage: assay-lease SOCKET PROGRAM... --control=FD (assay starts it)\n", stderr);
        return 64;
    }
    const int control = (int)strtol(last + 1, NULL, 10);
    const int line = call_nursery(arguments[1]);
    if (line < 0) {
        execv(arguments[2], arguments + 2);
        perror(arguments[2]);
        return 71;
    }
    if (send_files(line, control) != 0 || send_words(line) != 0)
        return EXIT_FAILURE;
    /* The supervisor sees the end of the host by the end of these. */
    close(control);
    return wait_for_host(line);
}
