/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See last_run.h.
 */
#include "last_run.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cache_folder.h"
#include "hash.h"
#include "plan.h"

/* For each folder in which runs are started, one file has the path of the last run. */
static int find_file(char path[HN_PATH_SIZE])
{
    char here[PATH_MAX], folder[HN_PATH_SIZE], name[40];
    if (!realpath(".", here) || hn_cache_folder("last", folder) != HN_OK)
        return HN_ENOTFOUND;
    snprintf(name, sizeof name, "%016" PRIx64, hn_hash_text(HN_HASH_START, here));
    return hn_path_join(path, HN_PATH_SIZE, folder, name, NULL);
}

void hn_last_run_remember(const char *folder)
{
    char file[HN_PATH_SIZE], absolute[PATH_MAX];
    if (find_file(file) == HN_OK && realpath(folder, absolute) && hn_cache_prepare(file) == HN_OK)
        hn_file_write(file, absolute, strlen(absolute), NULL);
}

/* Gets the time at which the plan was written, which is once, before the first check. */
static int has_begun(const char *run, struct timespec *begun)
{
    char path[HN_PATH_SIZE];
    struct stat facts;
    if (hn_path_join(path, sizeof path, run, HN_PLAN_FILE, NULL) != HN_OK || stat(path, &facts))
        return 0;
    *begun = facts.st_mtim;
    return 1;
}

static int is_later(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec > other->tv_sec ||
           (one->tv_sec == other->tv_sec && one->tv_nsec > other->tv_nsec);
}

void hn_last_run_find(const char *runs, char path[HN_PATH_SIZE])
{
    char file[HN_PATH_SIZE], *remembered = NULL;
    struct timespec one, other;
    size_t length;
    if (hn_path_join(path, HN_PATH_SIZE, runs, "last", NULL) != HN_OK)
        path[0] = '\0';
    if (find_file(file) == HN_OK &&
        hn_file_read(file, HN_PATH_SIZE - 1, &remembered, &length, NULL) == HN_OK &&
        has_begun(remembered, &one) && (!has_begun(path, &other) || is_later(&one, &other)))
        snprintf(path, HN_PATH_SIZE, "%s", remembered);
    free(remembered);
}
