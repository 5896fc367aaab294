/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds children in /proc, kills them, reaps them, and begins again until there is none: a killed
 * process hands its own children up to us. Called by the host and the supervisor; knows nothing of
 * jobs.
 */
#include "descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 5000
#define ATTEMPTS 3

int hn_descendants_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static int is_spared(pid_t pid, const pid_t *spared, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (spared[i] == pid)
            return 1;
    return 0;
}

/* The parent of `pid`, from the field behind the command's closing parenthesis; 0 when it is gone.
 */
static pid_t parent_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return 0;
    text[got] = '\0';
    const char *end = strrchr(text, ')');
    /* ") S 1234": the state is one letter. */
    return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

struct sweep {
    int found, reaped;
};

/* Kills all children but the spared, and reaps what is dead of them, each by its own number: a spared
 * one that is dead, too, is left for its owner to wait for. -1 when /proc cannot be read. */
static int sweep_children(const pid_t *spared, size_t count, struct sweep *sweep)
{
    DIR *proc = opendir("/proc");
    *sweep = (struct sweep){0};
    if (!proc)
        return -1;
    const pid_t self = getpid();
    for (struct dirent *entry; (entry = readdir(proc));) {
        if (!isdigit((unsigned char)entry->d_name[0]) || parent_of(entry->d_name) != self)
            continue;
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (is_spared(pid, spared, count))
            continue;
        kill(pid, SIGKILL);
        sweep->found++;
        sweep->reaped += waitpid(pid, NULL, WNOHANG) == pid;
    }
    closedir(proc);
    return 0;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int hn_descendants_end(const pid_t *spared, size_t spared_count)
{
    siginfo_t info = {0};
    if (spared_count == 0 && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 &&
        errno == ECHILD)
        return 0; /* the usual case costs one system call */
    int ended = 0, unseen = 0;
    for (const int64_t start = now_ms(); now_ms() - start < PATIENCE_MS;) {
        struct sweep sweep;
        if (sweep_children(spared, spared_count, &sweep) != 0) {
            if (++unseen == ATTEMPTS)
                return -1;
            continue; /* no memory for a moment; no /proc is for good */
        }
        ended += sweep.reaped;
        if (sweep.found == 0)
            return ended;
        if (sweep.reaped == 0)
            poll(NULL, 0, 1); /* killed, not dead yet */
    }
    return -1;
}

int hn_thread_count(void)
{
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        return -1;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(tasks));)
        count += isdigit((unsigned char)entry->d_name[0]) != 0;
    closedir(tasks);
    return count;
}

static int is_harmless(const char *path)
{
    static const char *const known[] = {"/dev/null",   "/dev/zero",    "/dev/full",
                                        "/dev/random", "/dev/urandom", "/dev/tty",
                                        "/dev/shm/",   "/dev/pts/",    "/dev/console"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(path, known[i], strlen(known[i])) == 0)
            return 1;
    return strncmp(path, "/dev/", 5) != 0;
}

int hn_device_file_open(char *path, size_t size)
{
    DIR *files = opendir("/proc/self/fd");
    int found = 0;
    if (!files)
        return 0;
    for (struct dirent *entry; !found && (entry = readdir(files));) {
        char target[512];
        const ssize_t length = readlinkat(dirfd(files), entry->d_name, target, sizeof target - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        if (is_harmless(target))
            continue;
        snprintf(path, size, "%s", target);
        found = 1;
    }
    closedir(files);
    return found;
}
