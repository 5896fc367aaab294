/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The border: a run's folder from anywhere becomes a side of a case, or a sentence why not. Only
 * here does the gate touch files of a run.
 */
#ifndef CI_RUN_INTAKE_H
#define CI_RUN_INTAKE_H

#include "gate_decide.h"

/* Never an error but for memory: a run that cannot be used is a side with a refusal. Texts live in
 * the arena; the run belongs to the caller (rp_run_destroy, through ci_side_finish). */
int ci_side_read(const char *folder, struct hn_arena *arena, struct ci_side *side,
                 struct hn_error *error);
void ci_side_finish(struct ci_side *side);

/* The run itself, or the runs in the folders below `folder` (a matrix of targets), by name. Links
 * are not followed. The paths live in the arena; at most `room`. */
int ci_find_runs(const char *folder, struct hn_arena *arena, const char **paths, size_t room,
                 size_t *count, struct hn_error *error);

#endif
