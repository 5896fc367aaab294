/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes short names for the runs of a set: the name of the target and, if several runs have the
 * same target, the facts that distinguish these runs. Called by run_set.c.
 */
#ifndef RP_RUN_LABELS_H
#define RP_RUN_LABELS_H

#include "arena.h"
#include "run_model.h"

/* Makes one label for each run, in the arena. Returns HN_OK or HN_ENOMEM. */
int rp_labels_make(const struct rp_run *const *runs, size_t count, struct hn_arena *arena,
                   const char *const **labels);

#endif
