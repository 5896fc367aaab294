/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns a plan and a profile into what the supervisor takes. The only place that knows both sides.
 */
#ifndef HN_RUN_INPUT_H
#define HN_RUN_INPUT_H

#include "arena.h"
#include "interpreter.h"
#include "plan.h"
#include "profile.h"
#include "task.h"

struct hn_run_sources {
    const struct hn_plan *plan;
    const struct hn_profile *profile;
    const struct hn_places *places;
    const char *arm;     /* a switch of the target that is on in every job; NULL */
    const char *setting; /* for the environment, behind the profile's; NULL */
};

/* Fills tasks, capabilities, target and programs; options are the caller's. What it points at lives
 * in `arena`, the plan and the profile. */
int hn_run_input_make(const struct hn_run_sources *sources, struct hn_arena *arena,
                      struct hn_run_input *input, struct hn_error *error);

#endif
