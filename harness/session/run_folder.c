/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_folder.h.
 */
#include "run_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"

#define MOST_SUFFIX 99

int hn_run_folder_take(const char *name, char path[HN_PATH_SIZE], struct hn_error *error)
{
    int status = hn_dir_make(name, error);
    if (status != HN_OK)
        return status;
    char *absolute = realpath(name, NULL);
    if (!absolute)
        return hn_error_errno(error, "cannot find %s", name);
    if (strcmp(absolute, "/") == 0)
        status = hn_error_set(error, HN_EINPUT,
                              "the folder / cannot hold a run: give --out a folder of its own");
    else if (strlen(absolute) >= HN_PATH_SIZE / 2) /* the paths of its files must fit too */
        status = hn_error_set(error, HN_ESYSTEM, "the path of the folder %s is too long", name);
    else
        snprintf(path, HN_PATH_SIZE, "%s", absolute);
    free(absolute);
    return status;
}

static int make_parent(const char *path, struct hn_error *error)
{
    char parent[HN_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    if (!slash)
        return HN_OK;
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
    return hn_dir_make(parent, error);
}

int hn_run_folder_new(const char *stem, char path[HN_PATH_SIZE], struct hn_error *error)
{
    char name[HN_PATH_SIZE];
    int status = make_parent(stem, error);
    for (int i = 1; status == HN_OK && i <= MOST_SUFFIX; i++) {
        const int length = i == 1 ? snprintf(name, sizeof name, "%s", stem)
                                  : snprintf(name, sizeof name, "%s-%d", stem, i);
        if (length >= HN_PATH_SIZE)
            return hn_error_set(error, HN_ESYSTEM, "the path of the folder %s is too long", stem);
        if (mkdir(name, 0777) == 0)
            return hn_run_folder_take(name, path, error);
        if (errno != EEXIST)
            return hn_error_set(error, HN_ESYSTEM, "cannot make the folder %s: %s", name,
                                strerror(errno));
    }
    return status != HN_OK ? status
                           : hn_error_set(error, HN_ESYSTEM,
                                          "the folders %s to %s-%d are there already: give --out a "
                                          "new folder",
                                          stem, stem, MOST_SUFFIX);
}

int hn_run_folder_today(const char *runs, const char *name, char path[HN_PATH_SIZE],
                        struct hn_error *error)
{
    char date[HN_CLOCK_DATE_SIZE], stem[HN_PATH_SIZE];
    hn_clock_name(date, sizeof date);
    snprintf(stem, sizeof stem, "%s/%s-%s", runs, name, date);
    return hn_run_folder_new(stem, path, error);
}
