/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files and folders. Called by all readers and writers. This file depends only on hn_error.h.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files that this process has read. */
static struct identity {
    dev_t device;
    ino_t inode;
} *files_read;
static size_t files_read_count, files_read_room;

void hn_file_is_read(int fd)
{
    struct stat facts;
    if (fstat(fd, &facts))
        return;
    if (files_read_count == files_read_room) {
        const size_t room = files_read_room ? files_read_room * 2 : 64;
        struct identity *larger = realloc(files_read, room * sizeof *larger);
        if (!larger)
            return;
        files_read = larger;
        files_read_room = room;
    }
    files_read[files_read_count++] = (struct identity){facts.st_dev, facts.st_ino};
}

static int was_read(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) || !S_ISREG(facts.st_mode))
        return 0;
    for (size_t i = 0; i < files_read_count; i++)
        if (files_read[i].device == facts.st_dev && files_read[i].inode == facts.st_ino)
            return 1;
    return 0;
}

/* Reads to the end of the file. More than `limit` bytes are an error, even if stat() gave a smaller
 * size. */
static int read_all(int fd, const char *path, size_t limit, char **text, size_t *length,
                    struct hn_error *error)
{
    size_t used = 0, capacity = 4096;
    char *bytes = malloc(capacity);
    int status;
    if (!bytes)
        return hn_error_nomem(error);
    for (;;) {
        if (used + 1 == capacity) {
            char *larger = realloc(bytes, capacity * 2);
            if (!larger) {
                status = hn_error_nomem(error);
                goto fail;
            }
            bytes = larger;
            capacity *= 2;
        }
        const ssize_t got = read(fd, bytes + used, capacity - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = hn_error_errno(error, "cannot read %s", path);
            goto fail;
        }
        used += (size_t)got;
        if (used > limit) {
            status = hn_error_at(error, HN_ELIMIT, path, 0, 0,
                                 "is larger than the %zu bytes allowed here", limit);
            goto fail;
        }
        if (got == 0)
            break;
    }
    bytes[used] = '\0';
    *text = bytes;
    if (length)
        *length = used;
    return HN_OK;
fail:
    free(bytes);
    return status;
}

int hn_file_read(const char *path, size_t limit, char **text, size_t *length,
                 struct hn_error *error)
{
    struct stat facts;
    int status;
    /* Without O_NONBLOCK, opening a pipe without a writer would block. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hn_error_errno(error, "cannot open %s", path);
    if (fstat(fd, &facts))
        status = hn_error_errno(error, "cannot look at %s", path);
    else if (!S_ISREG(facts.st_mode))
        status = hn_error_at(error, HN_EINPUT, path, 0, 0, "is not a regular file");
    else
        status = read_all(fd, path, limit, text, length, error);
    hn_file_is_read(fd);
    close(fd);
    return status;
}

int hn_file_list(const char *path, size_t limit, struct hn_arena *arena, char **text, size_t *lines,
                 struct hn_error *error)
{
    char *read;
    size_t length;
    const int status = hn_file_read(path, limit, &read, &length, error);
    if (status)
        return status;
    char *kept = hn_arena_copy(arena, read, length);
    free(read);
    if (!kept)
        return hn_error_nomem(error);
    *lines = 1;
    for (const char *at = kept; (at = strchr(at, '\n')); at++)
        ++*lines;
    *text = kept;
    return HN_OK;
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t put = write(fd, text, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        text += put;
        length -= (size_t)put;
    }
    return 0;
}

/* If a file cannot be created, the usual reason is a missing folder, so the message names the
 * folder and not our temporary file. */
static int refuse_new(const char *path, struct hn_error *error)
{
    const int reason = errno;
    const char *const slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) : 0;
    if (reason == ENOENT && length)
        return hn_error_set(error, HN_ESYSTEM, "cannot write %s: the folder %.*s does not exist",
                            path, length, path);
    errno = reason;
    return hn_error_errno(error, "cannot write %s", path);
}

/* Writes the text, and closes the file also on failure. */
static int fill(int fd, const char *path, const char *text, size_t length, struct hn_error *error)
{
    if (write_all(fd, text, length)) {
        const int status = hn_error_errno(error, "cannot write %s", path);
        close(fd);
        return status;
    }
    return close(fd) ? hn_error_errno(error, "cannot write %s", path) : HN_OK;
}

/* Atomic: a reader sees the old file or the new file. */
static int replace(const char *path, const char *text, size_t length, struct hn_error *error)
{
    char temporary[HN_PATH_SIZE];
    if (snprintf(temporary, sizeof temporary, "%s.%ld.new", path, (long)getpid()) >=
        (int)sizeof temporary)
        return hn_error_set(error, HN_ELIMIT, "the path %s is too long", path);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return refuse_new(path, error);
    int status = fill(fd, path, text, length, error);
    if (status == HN_OK && rename(temporary, path))
        status = hn_error_errno(error, "cannot replace %s", path);
    if (status != HN_OK)
        unlink(temporary);
    return status;
}

/* Writes in place, because /dev/null must stay a device and a pipe with a reader must stay a
 * pipe. */
static int write_through(const char *path, const char *text, size_t length, struct hn_error *error)
{
    /* Without O_NONBLOCK, opening a pipe without a reader would block. */
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd < 0)
        return refuse_new(path, error);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    return fill(fd, path, text, length, error);
}

int hn_file_write(const char *path, const char *text, size_t length, struct hn_error *error)
{
    struct stat entry, end;
    char real[PATH_MAX];
    if (lstat(path, &entry) || S_ISREG(entry.st_mode))
        return replace(path, text, length, error);
    const int leads_to_a_file = S_ISLNK(entry.st_mode) && stat(path, &end) == 0 &&
                                S_ISREG(end.st_mode) && realpath(path, real);
    return leads_to_a_file ? replace(real, text, length, error)
                           : write_through(path, text, length, error);
}

int hn_file_write_inside(const char *path, const char *text, size_t length, struct hn_error *error)
{
    return replace(path, text, length, error);
}

int hn_file_output(const char *path, const char *text, size_t length, struct hn_error *error)
{
    if (was_read(path))
        return hn_error_at(error, HN_EINPUT, path, 0, 0,
                           "is read by this command and is not replaced: give another name");
    return hn_file_write(path, text, length, error);
}

static int make_one(const char *path, struct hn_error *error)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0)
        return HN_OK;
    if (errno == EEXIST && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        return HN_OK;
    return hn_error_set(error, HN_ESYSTEM, "cannot make the folder %s: %s", path, strerror(errno));
}

int hn_dir_make(const char *path, struct hn_error *error)
{
    char part[HN_PATH_SIZE];
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part)
        return hn_error_set(error, HN_ELIMIT, "the path %s is too long", path);
    for (char *slash = strchr(part + (part[0] == '/'), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const int status = make_one(part, error);
        if (status)
            return status;
        *slash = '/';
    }
    return make_one(part, error);
}

int hn_path_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

int hn_path_join(char *path, size_t size, const char *folder, const char *name,
                 struct hn_error *error)
{
    const int alone = name[0] == '/' || folder[0] == '\0';
    const int length =
        alone ? snprintf(path, size, "%s", name) : snprintf(path, size, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= size)
        return hn_error_set(error, HN_ELIMIT, "the path %s/%s is too long", folder, name);
    return HN_OK;
}
