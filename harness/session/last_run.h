/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run that was begun last from the current folder, wherever it lies. `assay run` remembers it in
 * the cache, because a run with --out leaves no link in runs/; `assay next` finds it.
 */
#ifndef HN_LAST_RUN_H
#define HN_LAST_RUN_H

#include "file.h"

/* If it cannot be remembered, it is not. */
void hn_last_run_remember(const char *folder);
/* The remembered run, or the one that <runs>/last leads to: the one that began later. <runs>/last if
 * there is neither. */
void hn_last_run_find(const char *runs, char path[HN_PATH_SIZE]);

#endif
