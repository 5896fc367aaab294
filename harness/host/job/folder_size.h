/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much a job's folder holds. Called by job_process.c twice a second.
 */
#ifndef HN_FOLDER_SIZE_H
#define HN_FOLDER_SIZE_H

#include <stdint.h>

/* Bytes on disk below `path`, links not followed; looks at 10,000 entries at most. 0 when it is not
 * there. */
int64_t hn_folder_size(const char *path);

#endif
