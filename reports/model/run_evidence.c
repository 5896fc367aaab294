/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_evidence.h.
 */
#include "run_evidence.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[RP_EVIDENCE_KINDS] = {
    [RP_OUTPUT] = "out.txt", [RP_ERRORS] = "err.txt", [RP_STACK] = "stack.txt"};

/* Opens a folder in `at`, and closes `at`. Returns -1 if the name is a link or not a folder. */
static int step(int at, const char *name, size_t length)
{
    char part[256];
    int next = -1;
    if (length > 0 && length < sizeof part) {
        memcpy(part, name, length);
        part[length] = '\0';
        if (strcmp(part, "..") != 0)
            next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    }
    close(at);
    return next;
}

static int open_folder(const struct rp_run *run, const char *path)
{
    int at = open(run->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0 && *path) {
        const size_t length = strcspn(path, "/");
        at = step(at, path, length);
        path += length + (path[length] == '/');
    }
    return at;
}

static char *read_tail(int file, size_t limit, size_t *length)
{
    struct stat facts;
    if (fstat(file, &facts) || !S_ISREG(facts.st_mode) || facts.st_size <= 0)
        return NULL;
    const off_t from = facts.st_size > (off_t)limit ? facts.st_size - (off_t)limit : 0;
    char *text = malloc(limit + 1);
    const ssize_t got = text ? pread(file, text, limit, from) : -1;
    if (got <= 0) {
        free(text);
        return NULL;
    }
    char *line = from ? memchr(text, '\n', (size_t)got) : NULL;
    const size_t skip = line ? (size_t)(line - text) + 1 : 0;
    *length = (size_t)got - skip;
    memmove(text, text + skip, *length);
    text[*length] = '\0';
    return text;
}

char *rp_evidence_tail(const struct rp_run *run, const struct rp_check *check,
                       enum rp_evidence_kind kind, size_t limit, size_t *length)
{
    const int folder = check->folder[0] ? open_folder(run, check->folder) : -1;
    if (folder < 0)
        return NULL;
    const int file = openat(folder, names[kind], O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char *text = file < 0 ? NULL : read_tail(file, limit, length);
    if (file >= 0)
        close(file);
    close(folder);
    return text;
}
