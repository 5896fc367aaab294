/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges the shards of a run into one run folder. If the shards are not parts of one run, or a
 * shard is missing, the error names the difference. Called by harness/command/report/cmd_merge.c.
 */
#ifndef HN_MERGE_H
#define HN_MERGE_H

#include <stddef.h>

#include "hn_error.h"

/* Creates `out`, which must not hold a run. Returns HN_EINPUT if the shards differ in target, torch
 * version, contract or selection, if a shard occurs twice, or if a shard is missing. With
 * `partial`, the merged run is incomplete if a shard is missing, and names it. */
int hn_merge(char *const *folders, size_t count, const char *out, int partial,
             struct hn_error *error);

#endif
