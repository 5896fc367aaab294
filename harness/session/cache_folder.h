/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small files that are kept between runs, in $XDG_CACHE_HOME/assay or ~/.cache/assay. Called by
 * calibration_cache.c and last_run.c. Nothing may depend on a file that is kept here.
 */
#ifndef HN_CACHE_FOLDER_H
#define HN_CACHE_FOLDER_H

#include "file.h"

/* The path of a folder of the cache, such as "isolation". HN_ENOTFOUND if there is no HOME. */
int hn_cache_folder(const char *name, char folder[HN_PATH_SIZE]);
/* Creates the folder of a file, and removes from it the files that are a month old. */
int hn_cache_prepare(const char *path);

#endif
