/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns a plan and a profile into what the supervisor takes. The only place that knows both sides.
 */
#ifndef HN_RUN_INPUT_H
#define HN_RUN_INPUT_H

#include "arena.h"
#include "input.h"
#include "interpreter.h"
#include "plan.h"
#include "profile.h"

struct hn_run_sources {
    const struct hn_profile *profile;
    const struct hn_places *places;
    const char *setting; /* "NAME=value" for the environment, after the profile's; NULL */
};

/* Fills the programs and the target, but for its isolation mode and the checks. Called again after the
 * build steps of the profile, because they make files that the profile names. What it points at lives in
 * `arena` and in the profile. */
int hn_run_input_target(const struct hn_run_sources *sources, struct hn_arena *arena,
                        struct hn_run_input *input, struct hn_error *error);
/* Fills the tasks, the capabilities and the places of the checks' code, for which `data` is the folder of
 * the contract. They live as long as the plan and `arena`. */
int hn_run_input_plan(const struct hn_plan *plan, const char *data, struct hn_arena *arena,
                      struct hn_run_input *input, struct hn_error *error);

#endif
