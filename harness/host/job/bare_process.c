/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See bare_process.h. Jobs can kill the bare process, stop it, or leave children in it. The bare
 * process is therefore inspected after each job, and ended if it does not work.
 */
#include "bare_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "descendants.h"

#define PATIENCE_MS 20000 /* on a busy machine, serving a socket full of requests takes seconds */

static pid_t bare;
static int requests = -1;
static int64_t spent_us;

/* Reads the text of a file of this process in /proc. Returns 0, or -1. */
static int read_proc(const char *format, pid_t pid, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, format, (int)pid, (int)pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    const ssize_t got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got >= 0 ? 0 : -1;
}

/* Reads the children as "12 34 ", for a process with one thread. */
static int children_of(pid_t pid, char *text, size_t size)
{
    return read_proc("/proc/%d/task/%d/children", pid, text, size);
}

int32_t hn_bare_keep(int32_t pid, int32_t socket)
{
    char text[64];
    if (children_of(getpid(), text, sizeof text) != 0)
        return -1;
    bare = pid;
    requests = socket;
    spent_us = 0; /* the host is charged for the fork itself, a few milliseconds */
    hn_bare_spent_us();
    return 0;
}

void hn_bare_inherit(int socket)
{
    requests = socket;
    if (socket >= 0)
        fcntl(socket, F_SETFD, FD_CLOEXEC);
}

int32_t hn_bare_requests(void)
{
    return requests;
}

pid_t hn_bare_pid(void)
{
    return bare;
}

static void forget(void)
{
    bare = 0;
    close(requests);
    requests = -1;
}

static void end_it(void)
{
    kill(bare, SIGKILL);
    while (waitpid(bare, NULL, 0) < 0 && errno == EINTR)
        continue;
    forget();
}

/* Continues a stopped bare process; reaps a dead one. */
static void look_after(void)
{
    if (waitpid(bare, NULL, WNOHANG) != 0)
        forget();
    else
        kill(bare, SIGCONT);
}

/* Returns the number of killed children. The bare process itself reaps these children. */
static int kill_its_children(void)
{
    char text[4096], *end = text;
    int count = 0;
    if (children_of(bare, text, sizeof text) != 0)
        return 0;
    for (long child; (child = strtol(end, &end, 10)) > 0; count++)
        kill((pid_t)child, SIGKILL);
    return count;
}

static int is_only_child(void)
{
    char text[4096], wanted[24];
    snprintf(wanted, sizeof wanted, "%d ", (int)bare);
    return children_of(getpid(), text, sizeof text) == 0 && strcmp(text, wanted) == 0;
}

int hn_bare_end_others(void)
{
    int ended = 0, found = 0;
    if (bare)
        look_after();
    const int64_t end = hn_clock_now_ms() + PATIENCE_MS;
    while (bare && hn_clock_now_ms() < end) {
        /* Kill the children of the bare process first, because the processes that these children
         * leave become our children. */
        const int of_bare = kill_its_children();
        found = found ? found : of_bare;
        if (of_bare == 0 && is_only_child())
            return ended + found;
        const int more = hn_descendants_end(&bare, 1);
        ended += more > 0 ? more : 0;
        look_after();
        if (of_bare)
            poll(NULL, 0, 1); /* a killed process is not dead yet */
    }
    if (bare)
        end_it();
    const int rest = hn_descendants_end(NULL, 0);
    return rest < 0 ? rest : ended + found + rest;
}

int64_t hn_bare_spent_us(void)
{
    char text[512];
    unsigned long own, of_system;
    long children, children_system;
    if (!bare || read_proc("/proc/%d/stat", bare, text, sizeof text) != 0)
        return 0;
    const char *end = strrchr(text, ')');
    if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld",
                       &own, &of_system, &children, &children_system) != 4)
        return 0;
    const int64_t ticks = (int64_t)(own + of_system) + children + children_system;
    const int64_t before = spent_us;
    spent_us = ticks * 1000000 / sysconf(_SC_CLK_TCK);
    return spent_us - before;
}

void hn_bare_end(void)
{
    if (bare)
        end_it();
}
