/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds children in /proc, kills and reaps them, and repeats this until no child is left,
 * because the children of a killed process become our children. Called by the host and the
 * supervisor. This file must not depend on jobs.
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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"

#define PATIENCE_MS 5000
#define ATTEMPTS 3
#define DEPTH_MOST 32
/* several samples, because a compiler sometimes waits for a file or for a part of itself */
#define LOOKS 25
#define LOOK_INTERVAL_MS 20

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

/* Reads state and parent of `pid` from the text after the command's closing parenthesis: ") S
 * 1234". Returns 0, or -1 if the process is gone. */
static int read_stat(const char *pid, char *state, pid_t *parent)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    const ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return -1;
    text[got] = '\0';
    const char *end = strrchr(text, ')');
    if (!end || strlen(end) <= 4)
        return -1;
    *state = end[2];
    *parent = (pid_t)strtol(end + 4, NULL, 10);
    return 0;
}

/* Returns 0 if the process is gone. */
static pid_t parent_of(const char *pid)
{
    char state;
    pid_t parent;
    return read_stat(pid, &state, &parent) == 0 ? parent : 0;
}

struct sweep {
    int found, reaped;
};

/* Reads a folder without heap memory, which may be exhausted when all processes must be ended. */
struct names {
    int folder;
    long size, at;
    _Alignas(struct dirent64) char bytes[4096];
};

/* Returns NULL at the end. */
static const char *next_name(struct names *names)
{
    if (names->at >= names->size) {
        names->size = syscall(SYS_getdents64, names->folder, names->bytes, sizeof names->bytes);
        names->at = 0;
    }
    if (names->size <= 0)
        return NULL;
    const struct dirent64 *entry = (const void *)(names->bytes + names->at);
    names->at += entry->d_reclen;
    return entry->d_name;
}

/* Kills all children except the spared children, and reaps each dead child by its own pid. A spared
 * child that is dead is left for its owner to reap. Returns -1 if /proc cannot be read. */
static int sweep_children(const pid_t *spared, size_t count, struct sweep *sweep)
{
    struct names proc = {.folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    *sweep = (struct sweep){0};
    if (proc.folder < 0)
        return -1;
    const pid_t self = getpid();
    for (const char *name; (name = next_name(&proc));) {
        if (!isdigit((unsigned char)name[0]) || parent_of(name) != self)
            continue;
        const pid_t pid = (pid_t)strtol(name, NULL, 10);
        if (is_spared(pid, spared, count))
            continue;
        kill(pid, SIGKILL);
        sweep->found++;
        sweep->reaped += waitpid(pid, NULL, WNOHANG) == pid;
    }
    close(proc.folder);
    return 0;
}

int hn_descendants_end(const pid_t *spared, size_t spared_count)
{
    siginfo_t info = {0};
    if (spared_count == 0 && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 &&
        errno == ECHILD)
        return 0; /* fast path: one system call */
    int ended = 0, unseen = 0;
    for (const int64_t start = hn_clock_now_ms(); hn_clock_now_ms() - start < PATIENCE_MS;) {
        struct sweep sweep;
        if (sweep_children(spared, spared_count, &sweep) != 0) {
            if (++unseen == ATTEMPTS)
                return -1;
            continue; /* a lack of descriptors may be temporary; a missing /proc is not */
        }
        ended += sweep.reaped;
        if (sweep.found == 0)
            return ended;
        if (sweep.reaped == 0)
            poll(NULL, 0, 1); /* a killed process is not dead yet */
    }
    return -1;
}

/* ---- programs that a job waits for */

static int program_of(const char *pid, char *program, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/exe", pid);
    const ssize_t got = readlink(path, program, size - 1);
    program[got > 0 ? got : 0] = '\0';
    return got > 0;
}

static int descends_from(const char *pid, pid_t ancestor)
{
    char text[24];
    pid_t parent = parent_of(pid);
    for (int depth = 0; depth < DEPTH_MOST && parent > 1 && parent != ancestor; depth++) {
        snprintf(text, sizeof text, "%d", (int)parent);
        parent = parent_of(text);
    }
    return parent == ancestor;
}

/* Returns 1 for a running program that was started from another file than the ancestor. */
static int works_for(const char *pid, pid_t ancestor, const char *own, char *program, size_t size)
{
    char state;
    pid_t parent;
    return read_stat(pid, &state, &parent) == 0 && (state == 'R' || state == 'D') &&
           program_of(pid, program, size) && strcmp(program, own) != 0 &&
           descends_from(pid, ancestor);
}

int hn_descendants_at_work(pid_t ancestor, char *name, size_t size)
{
    char own[512], program[512], text[24];
    int found = 0;
    snprintf(text, sizeof text, "%d", (int)ancestor);
    if (!program_of(text, own, sizeof own))
        return 0;
    for (int look = 0; !found && look < LOOKS; look++) {
        DIR *proc = opendir("/proc");
        for (struct dirent *entry; !found && proc && (entry = readdir(proc));)
            found = isdigit((unsigned char)entry->d_name[0]) &&
                    works_for(entry->d_name, ancestor, own, program, sizeof program);
        if (proc)
            closedir(proc);
        if (!found)
            poll(NULL, 0, LOOK_INTERVAL_MS);
    }
    if (found)
        snprintf(name, size, "%s", strrchr(program, '/') ? strrchr(program, '/') + 1 : program);
    return found;
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
