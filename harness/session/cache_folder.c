/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cache_folder.h. It uses the file system only.
 */
#include "cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define KEPT_SECONDS ((time_t)30 * 24 * 3600)

/* torch_builds.py uses the same folder for cached builds. */
int hn_cache_folder(const char *name, char folder[HN_PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char below[HN_PATH_SIZE];
    const int is_given = cache && *cache;
    if (!is_given && (!home || !*home))
        return HN_ENOTFOUND;
    snprintf(below, sizeof below, "%sassay/%s", is_given ? "" : ".cache/", name);
    return hn_path_join(folder, HN_PATH_SIZE, is_given ? cache : home, below, NULL);
}

/* Removes old files: a file name contains a hash of the machine's state, so no run uses them
 * again. */
static void prune(const char *folder)
{
    DIR *entries = opendir(folder);
    const time_t oldest = time(NULL) - KEPT_SECONDS;
    struct stat file;
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (fstatat(dirfd(entries), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(file.st_mode) && file.st_mtim.tv_sec < oldest)
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
}

int hn_cache_prepare(const char *path)
{
    char folder[HN_PATH_SIZE];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    const int status = hn_dir_make(folder, NULL);
    if (status == HN_OK)
        prune(folder);
    return status;
}
