/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the folder of a run: one that the user names, or a new one. Called by session.c, cmd_ops.c
 * and cmd_prove.c. This file must not read or write the files inside the folder.
 */
#ifndef HN_RUN_FOLDER_H
#define HN_RUN_FOLDER_H

#include "file.h"

/* Makes the folder `name` with its parents if it does not exist, and writes its absolute path to
 * `path`, because jobs change their working directory. HN_EINPUT for "/". */
int hn_run_folder_take(const char *name, char path[HN_PATH_SIZE], struct hn_error *error);

/* Makes a new folder: `stem`, or `stem`-2 up to `stem`-99. Two processes that call this at the same
 * time get two different folders, because mkdir() is atomic. */
int hn_run_folder_new(const char *stem, char path[HN_PATH_SIZE], struct hn_error *error);

/* Makes the new folder <runs>/<name>-<date of now>. */
int hn_run_folder_today(const char *runs, const char *name, char path[HN_PATH_SIZE],
                        struct hn_error *error);

#endif
