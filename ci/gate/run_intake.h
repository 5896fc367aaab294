/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns an untrusted run folder into a side of a case, or into a sentence on why it cannot be
 * used. No other file of the gate may open files of a run.
 */
#ifndef CI_RUN_INTAKE_H
#define CI_RUN_INTAKE_H

#include "gate_decide.h"

/* Fails only if out of memory: a run that cannot be used is a side with a refusal. Texts live in
 * the arena; the caller owns the run (rp_run_destroy, through ci_side_finish). */
int ci_side_read(const char *folder, struct hn_arena *arena, struct ci_side *side,
                 struct hn_error *error);
void ci_side_finish(struct ci_side *side);

/* The run itself, or the runs in the folders below `folder` (a matrix of targets), by name.
 * Links are not followed. The paths live in the arena; at most `room`. */
int ci_find_runs(const char *folder, struct hn_arena *arena, const char **paths, size_t room,
                 size_t *count, struct hn_error *error);

#endif
