/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads an untrusted run folder into struct ci_side, or gives the reason why it cannot be used. No
 * other file of the gate may open files of a run.
 */
#ifndef CI_RUN_INTAKE_H
#define CI_RUN_INTAKE_H

#include "gate_decide.h"

/* Fails only if out of memory: for a run that cannot be used, side->refusal is set. Texts live in
 * the arena. The caller owns the run and destroys it with ci_side_finish(). */
int ci_side_read(const char *folder, struct hn_arena *arena, struct ci_side *side,
                 struct hn_error *error);
void ci_side_finish(struct ci_side *side);

/* Lists `folder` if it is a run, else the runs in its subfolders (a matrix of targets), by name.
 * Links are not followed. At most `room` paths are returned; they live in the arena. */
int ci_find_runs(const char *folder, struct hn_arena *arena, const char **paths, size_t room,
                 size_t *count, struct hn_error *error);

#endif
