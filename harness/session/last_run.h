/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the last run that was started in the current folder, even if its own folder is
 * elsewhere. `assay run` stores the path in the cache, because a run with --out makes no link in
 * runs/. `assay next` reads the stored path.
 */
#ifndef HN_LAST_RUN_H
#define HN_LAST_RUN_H

#include "file.h"

/* Stores the path of a run. Errors are ignored. */
void hn_last_run_remember(const char *folder);
/* Finds the stored run and the run behind the link <runs>/last, and writes the later one to `path`.
 * If neither exists, `path` is <runs>/last. */
void hn_last_run_find(const char *runs, char path[HN_PATH_SIZE]);

#endif
