/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See cache_folder.h. This file uses only the file system.
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

/* Gets the user's cache folder, if it exists or can be made, and is writable. */
static int users_folder(char folder[HN_PATH_SIZE])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *const parent = cache && *cache ? cache : home;
    return parent && *parent == '/' &&
           hn_path_join(folder, HN_PATH_SIZE, parent, parent == cache ? "assay" : ".cache/assay",
                        NULL) == HN_OK &&
           hn_dir_make(folder, NULL) == HN_OK && access(folder, W_OK | X_OK) == 0;
}

/* A folder in the temporary folder. If another user made this folder, that user could write files
 * that assay trusts. Therefore the folder is used only if it belongs to this user alone. */
static int private_folder(char folder[HN_PATH_SIZE])
{
    const char *const temporary = getenv("TMPDIR");
    struct stat facts;
    snprintf(folder, HN_PATH_SIZE, "%.990s/assay-cache-%u",
             temporary && *temporary ? temporary : "/tmp", (unsigned)getuid());
    mkdir(folder, 0700);
    return lstat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == getuid() &&
           !(facts.st_mode & 077);
}

/* cache_folder in places.py chooses the same folder for cached builds. */
int hn_cache_folder(const char *name, char folder[HN_PATH_SIZE])
{
    char parent[HN_PATH_SIZE];
    if (!users_folder(parent) && !private_folder(parent))
        return HN_ENOTFOUND;
    return hn_path_join(folder, HN_PATH_SIZE, parent, name, NULL);
}

/* Removes old files. The file names contain a hash of an earlier state of the machine, so nothing
 * reads them again. */
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
