/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts the shards of a run together into one run folder. If the shards are not parts of one run,
 * or one is missing, it returns an error that names the difference. Called by
 * harness/command/report/cmd_merge.c.
 */
#ifndef HN_MERGE_H
#define HN_MERGE_H

#include <stddef.h>

#include "hn_error.h"

/* `out` is created and must not hold a run. Returns HN_EINPUT if the shards differ in target,
 * torch version, contract or selection, if a shard occurs twice, or if one is missing (named).
 * With `partial` a missing shard makes the merged run incomplete instead, and is named there. */
int hn_merge(char *const *folders, size_t count, const char *out, int partial,
             struct hn_error *error);

#endif
