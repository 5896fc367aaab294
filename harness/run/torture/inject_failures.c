/* SPDX-License-Identifier: BSD-3-Clause
 *
 * failure_test.py preloads this library into a program. The library counts all calls, and makes the
 * n-th call of one kind fail, as on a machine without disk space, memory or processes.
 *
 * INJECT          "write:17", "fork:1-5": which calls fail; kinds as in the table below
 * INJECT_PROGRAM  the program whose calls fail; other programs with this environment are unaffected
 * INJECT_COUNTS   file for the counts, written at the end
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

enum kind { WRITE, ALLOCATION, FORK, SPAWN, RENAME, KINDS };

static const char *const names[KINDS] = {"write", "allocation", "fork", "spawn", "rename"};
static const int errors[KINDS] = {ENOSPC, ENOMEM, EAGAIN, EAGAIN, EIO};
static unsigned long counts[KINDS], first[KINDS], last[KINDS];
static int counting;
static pid_t owner;

static int fails(enum kind kind)
{
    const unsigned long now = counting ? __atomic_add_fetch(&counts[kind], 1, __ATOMIC_RELAXED) : 0;
    if (now == 0 || now < first[kind] || now > last[kind])
        return 0;
    errno = errors[kind];
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *wanted = getenv("INJECT_PROGRAM"), *text = getenv("INJECT");
    const char *colon = text ? strchr(text, ':') : NULL;
    char *end;
    if (!wanted || strcmp(wanted, program_invocation_short_name) != 0)
        return;
    for (int kind = 0; colon && kind < KINDS; kind++)
        if (strncmp(names[kind], text, (size_t)(colon - text)) == 0) {
            first[kind] = last[kind] = strtoul(colon + 1, &end, 10);
            if (*end == '-')
                last[kind] = strtoul(end + 1, NULL, 10);
        }
    owner = getpid();
    counting = 1;
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("INJECT_COUNTS");
    char line[80];
    if (!counting || getpid() != owner || !path)
        return;
    counting = 0;
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (int kind = 0; kind < KINDS; kind++) {
        const int length = snprintf(line, sizeof line, "%s %lu\n", names[kind], counts[kind]);
        syscall(SYS_write, file, line, (size_t)length);
    }
    close(file);
}

/* Fails for files only, as on a full disk: libuv asserts that a write to its own pipe succeeds. */
ssize_t write(int file, const void *bytes, size_t length)
{
    struct stat facts;
    return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && fails(WRITE)
               ? -1
               : syscall(SYS_write, file, bytes, length);
}

void *malloc(size_t size)
{
    return fails(ALLOCATION) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(ALLOCATION) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    return fails(ALLOCATION) ? NULL : __libc_realloc(memory, size);
}

pid_t fork(void)
{
    pid_t (*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    return fails(FORK) ? -1 : real();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const variables[])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const[], char *const[]);
    *(void **)&real = dlsym(RTLD_NEXT, "posix_spawn");
    return fails(SPAWN) ? EAGAIN : real(pid, path, actions, attributes, arguments, variables);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const variables[])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const[], char *const[]);
    *(void **)&real = dlsym(RTLD_NEXT, "posix_spawnp");
    return fails(SPAWN) ? EAGAIN : real(pid, path, actions, attributes, arguments, variables);
}

int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, -100, from, -100, to, 0);
}
