/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and removes job folders. A run has thousands, so there is a fast path for a folder with a
 * few known files.
 */
#include "job_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOVES 1000000

void hn_job_folder_name(const char *id, const char *armed, int attempt, char *name, size_t size)
{
    char number[16] = "";
    if (attempt > 1)
        snprintf(number, sizeof number, ".%d", attempt);
    snprintf(name, size, "jobs/%s%s%s%s", id, armed ? "@" : "", armed ? armed : "", number);
}

int hn_job_folder_make(const char *path, struct hn_error *error)
{
    if (mkdir(path, 0755) == 0)
        return HN_OK;
    if (errno == EEXIST) {
        hn_job_folder_remove(path);
        if (mkdir(path, 0755) == 0)
            return HN_OK;
    }
    return hn_error_errno(error, "cannot make the folder %s", path);
}

/* Moves the folders in `name` up into `root` and removes everything else. A tree may be deeper
 * than the longest path and than the number of descriptors, so recursion would fail. Returns 1
 * if `name` is gone. */
static int unfold(int root, const char *name, unsigned *moved)
{
    char fresh[40];
    fchmodat(root, name, 0700, 0);
    const int file = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(file, entry->d_name, 0) == 0)
            continue;
        fchmodat(file, entry->d_name, 0700, 0);
        do
            snprintf(fresh, sizeof fresh, ".removed-%u", (*moved)++);
        while (renameat(file, entry->d_name, root, fresh) != 0 &&
               (errno == EEXIST || errno == ENOTEMPTY) && *moved < MOVES);
    }
    if (folder)
        closedir(folder);
    else if (file >= 0)
        close(file);
    return unlinkat(root, name, AT_REMOVEDIR) == 0;
}

/* Removes entries of the root, in one pass. Returns 1 if it changed anything. */
static int remove_once(int root, unsigned *moved)
{
    const unsigned before = *moved;
    int removed = 0;
    const int again = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        removed |= unlinkat(root, entry->d_name, 0) == 0 || unfold(root, entry->d_name, moved);
    }
    if (folder)
        closedir(folder);
    else if (again >= 0)
        close(again);
    return removed || *moved != before;
}

static void remove_tree(const char *path)
{
    unsigned moved = 0;
    chmod(path, 0700);
    const int root = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    while (root >= 0 && moved < MOVES && remove_once(root, &moved))
        continue;
    if (root >= 0)
        close(root);
    rmdir(path);
}

void hn_job_folder_remove(const char *path)
{
    static const char *const usual[] = {"events.jsonl", "mark", "stack.txt"};
    char file[1200];
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        snprintf(file, sizeof file, "%s/%s", path, usual[i]);
        unlink(file);
    }
    if (rmdir(path) != 0 && errno != ENOENT)
        remove_tree(path);
}
