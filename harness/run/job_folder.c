/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes and removes job folders, thousands in a run: the usual case is a few known files.
 */
#include "job_folder.h"

#include <errno.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void hn_job_folder_name(const char *id, int attempt, char *name, size_t size)
{
    snprintf(name, size, attempt > 1 ? "jobs/%s.%d" : "jobs/%s", id, attempt);
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

static void remove_tree(const char *path)
{
    char *const roots[] = {(char *)(uintptr_t)path, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!walk)
        return;
    for (FTSENT *entry; (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_D)
            chmod(entry->fts_accpath, 0700); /* so that what is in it can be removed */
        else if (entry->fts_info == FTS_DP)
            rmdir(entry->fts_accpath);
        else
            unlink(entry->fts_accpath);
    }
    fts_close(walk);
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
