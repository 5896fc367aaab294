/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Short names for the runs of a set: the target and, if several runs have the same target, the
 * facts that distinguish them. Called by run_set.c.
 */
#ifndef RP_RUN_LABELS_H
#define RP_RUN_LABELS_H

#include "arena.h"
#include "run_model.h"

/* Makes one label for each run, in the arena. Returns HN_OK or HN_ENOMEM. */
int rp_labels_make(const struct rp_run *const *runs, size_t count, struct hn_arena *arena,
                   const char *const **labels);

#endif
