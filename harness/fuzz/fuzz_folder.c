/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See fuzz_folder.h. If the machine has a memory file system, the folder is in that file system,
 * because a fuzzer writes much.
 */
#include "fuzz_folder.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEPARATOR "\n@@\n"
#define PATHS 4

static char folder[64];

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *walk)
{
    (void)facts;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_folder(void)
{
    if (folder[0])
        return folder;
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/assay-fuzz-XXXXXX", parent);
    if (!mkdtemp(folder))
        abort();
    atexit(remove_folder);
    return folder;
}

const char *fuzz_path(const char *name)
{
    static char paths[PATHS][300];
    static unsigned turn;
    char *path = paths[turn++ % PATHS];
    snprintf(path, sizeof paths[0], "%s/%s", fuzz_folder(), name);
    return path;
}

static void make_parents(const char *path)
{
    char part[300];
    for (size_t i = strlen(fuzz_folder()) + 1; path[i]; i++)
        if (path[i] == '/') {
            snprintf(part, sizeof part, "%.*s", (int)i, path);
            mkdir(part, 0755);
        }
}

void fuzz_write(const char *name, const uint8_t *data, size_t size)
{
    const char *path = fuzz_path(name);
    make_parents(path);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    close(file);
}

void fuzz_write_parts(const char *const *names, size_t count, const uint8_t *data, size_t size)
{
    const size_t length = strlen(SEPARATOR);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *end = i + 1 < count && size ? memmem(data, size, SEPARATOR, length) : NULL;
        const size_t part = end ? (size_t)(end - data) : size;
        fuzz_write(names[i], data, part);
        data += end ? part + length : part;
        size -= end ? part + length : part;
    }
}
