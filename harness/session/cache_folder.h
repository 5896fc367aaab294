/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the folder for small files that later runs read: $XDG_CACHE_HOME/assay or
 * ~/.cache/assay. If that folder cannot be written, as in containers, a private folder in TMPDIR
 * is used. Called by calibration_cache.c and last_run.c. A run must also work if such a file is
 * missing.
 */
#ifndef HN_CACHE_FOLDER_H
#define HN_CACHE_FOLDER_H

#include "file.h"

/* Gets the path of a folder of the cache, such as "isolation". HN_ENOTFOUND: none can be written. */
int hn_cache_folder(const char *name, char folder[HN_PATH_SIZE]);
/* Creates the folder of a file, and removes files in it that are more than a month old. */
int hn_cache_prepare(const char *path);

#endif
