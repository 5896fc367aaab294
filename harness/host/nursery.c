/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A host program that has loaded what is slow to load and forks a host for whoever asks: many short
 * runs then pay for it once. Each host gets environment, folder and pipes of the one who asked, as
 * if that one had started it. Called by `python -m assay_host --nursery=FD`; knows nothing of jobs.
 */
#include "nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descendants.h"
#include "host_callbacks.h"
#include "job.h"
#include "wire.h"

#define LEASES 64
#define SETTINGS 4096

/* A host and the line to the one who asked for it. */
struct lease {
    pid_t pid;
    int pidfd, line;
};

struct nursery {
    int listener;
    const struct hn_host_callbacks *callbacks;
    struct lease leases[LEASES];
    size_t count;
};

struct order {
    int line, files[HN_LEASE_FILES];
    struct hn_wire words;
};

/* ---- taking an order ---- */

static int receive_files(struct order *order)
{
    char byte;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof order->files)];
    } control = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (recvmsg(order->line, &message, MSG_CMSG_CLOEXEC) != 1)
        return -1;
    const struct cmsghdr *found = CMSG_FIRSTHDR(&message);
    if (!found || found->cmsg_type != SCM_RIGHTS ||
        found->cmsg_len != CMSG_LEN(sizeof order->files))
        return -1;
    memcpy(order->files, CMSG_DATA(found), sizeof order->files);
    return 0;
}

static void close_order(struct order *order)
{
    for (size_t i = 0; i < HN_LEASE_FILES; i++)
        if (order->files[i] >= 0)
            close(order->files[i]);
    hn_wire_finish(&order->words);
}

/* ---- the host that is born ---- */

static void take_environment(const struct hn_wire *words)
{
    const char *key, *value;
    clearenv();
    for (size_t cursor = 0; hn_wire_next(words, &cursor, &key, &value);)
        if (strcmp(key, HN_LEASE_SETTING) == 0)
            putenv((char *)(uintptr_t)value); /* the words live as long as the process */
}

static int become_host(struct nursery *nursery, struct order *order)
{
    const pid_t self = getpid();
    const char *folder = hn_wire_text(&order->words, HN_LEASE_FOLDER);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setsid();
    dup2(nothing, STDIN_FILENO);
    dup2(order->files[HN_LEASE_OUT], STDOUT_FILENO);
    dup2(order->files[HN_LEASE_ERR], STDERR_FILENO);
    close(nothing);
    close(nursery->listener);
    close(order->line);
    for (size_t i = 0; i < nursery->count; i++) {
        close(nursery->leases[i].line);
        close(nursery->leases[i].pidfd);
    }
    if (folder && chdir(folder) != 0)
        hn_job_leave(EXIT_FAILURE);
    take_environment(&order->words);
    if (nursery->callbacks->renew)
        nursery->callbacks->renew(nursery->callbacks->context);
    const int status = hn_host_serve(order->files[HN_LEASE_CONTROL], nursery->callbacks);
    if (getpid() == self)
        hn_job_leave(status); /* destructors of a numeric library take their time */
    return status;
}

/* 0: in the nursery, which goes on; 1: in a job that leaves the program with *status. */
static int give_birth(struct nursery *nursery, struct order *order, int *status)
{
    const pid_t self = getpid();
    const pid_t pid = nursery->callbacks->fork(nursery->callbacks->context);
    if (pid == 0 && getpid() != self) {
        *status = become_host(nursery, order);
        return 1;
    }
    if (pid <= 0) {
        close(order->line);
        return 0;
    }
    nursery->leases[nursery->count++] =
        (struct lease){pid, (int)syscall(SYS_pidfd_open, pid, 0), order->line};
    return 0;
}

static int hear_listener(struct nursery *nursery, int *status)
{
    struct order order = {.line = -1, .files = {-1, -1, -1}};
    int in_job = 0;
    order.line = accept4(nursery->listener, NULL, NULL, SOCK_CLOEXEC);
    if (order.line < 0)
        return 0;
    if (receive_files(&order) == 0 && hn_wire_receive(order.line, &order.words) == 1)
        in_job = give_birth(nursery, &order, status);
    else
        close(order.line);
    if (!in_job)
        close_order(&order);
    return in_job;
}

/* ---- the end of a host ---- */

static void end_strays(const struct nursery *nursery)
{
    pid_t spared[LEASES];
    for (size_t i = 0; i < nursery->count; i++)
        spared[i] = nursery->leases[i].pid;
    hn_descendants_end(spared, nursery->count);
}

static void bury(struct nursery *nursery, size_t index)
{
    const struct lease lease = nursery->leases[index];
    int status = 0;
    nursery->leases[index] = nursery->leases[--nursery->count];
    while (waitpid(lease.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    end_strays(nursery);
    /* Whoever asked may be gone; then nobody wants to know. */
    send(lease.line, &status, sizeof status, MSG_NOSIGNAL);
    close(lease.line);
    close(lease.pidfd);
}

static void hear_leases(struct nursery *nursery, const struct pollfd *events)
{
    /* From the last one: burying moves the last into the place of the dead. */
    for (size_t i = nursery->count; i-- > 0;) {
        if (events[2 * i + 1].revents) /* nothing is ever said on the line: it was hung up */
            kill(nursery->leases[i].pid, SIGKILL);
        if (events[2 * i].revents || events[2 * i + 1].revents)
            bury(nursery, i);
    }
}

/* ---- serving ---- */

int hn_host_nursery(int listener, const struct hn_host_callbacks *callbacks)
{
    static struct nursery nursery;
    nursery = (struct nursery){.listener = listener, .callbacks = callbacks};
    int status = 0;
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    hn_descendants_adopt();
    for (;;) {
        struct pollfd events[2 + 2 * LEASES];
        const int full = nursery.count == LEASES;
        events[0] = (struct pollfd){STDIN_FILENO, POLLIN, 0};
        events[1] = (struct pollfd){full ? -1 : listener, POLLIN, 0};
        for (size_t i = 0; i < nursery.count; i++) {
            events[2 + 2 * i] = (struct pollfd){nursery.leases[i].pidfd, POLLIN, 0};
            events[3 + 2 * i] = (struct pollfd){nursery.leases[i].line, POLLIN, 0};
        }
        if (poll(events, 2 + 2 * nursery.count, -1) < 0)
            continue;
        hear_leases(&nursery, events + 2);
        if (events[0].revents)
            break; /* our owner is gone; hosts die with their parent */
        if (events[1].revents && hear_listener(&nursery, &status))
            return status;
    }
    nursery.count = 0;
    end_strays(&nursery);
    return 0;
}
