/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts the shards of a run together into one run directory. Refuses what does not belong together
 * and names what is missing. Called by cli/cmd_merge.c.
 */
#ifndef HN_MERGE_H
#define HN_MERGE_H

#include <stddef.h>

#include "hn_error.h"

/* `out` is made, and must not hold a run. HN_EINPUT: other targets, torch versions, contracts or
 * selections, a shard twice, a shard missing (named). With `partial` a missing shard leaves the
 * merged run incomplete instead, and is named there. */
int hn_merge(char *const *folders, size_t count, const char *out, int partial,
             struct hn_error *error);

#endif
