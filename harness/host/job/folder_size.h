/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the disk usage of the folder of a job. Called by job_process.c twice a second.
 */
#ifndef HN_FOLDER_SIZE_H
#define HN_FOLDER_SIZE_H

#include <stdint.h>

/* Returns the bytes on disk below `path`, or 0 if the folder does not exist. Links are not
 * followed, and at most 10,000 entries are examined. */
int64_t hn_folder_size(const char *path);

#endif
