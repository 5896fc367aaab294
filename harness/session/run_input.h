/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns a plan and a profile into the input of the supervisor. No other file depends on both
 * plan/ and run/.
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
    /* "NAME=value", an environment variable that overrides the profile; or NULL */
    const char *setting;
};

/* Fills in the programs and the target, except its isolation mode and the checks. Called again
 * after the build steps of the profile, because they make files that the profile names. The results
 * refer to `arena` and to the profile. */
int hn_run_input_target(const struct hn_run_sources *sources, struct hn_arena *arena,
                        struct hn_run_input *input, struct hn_error *error);
/* Fills in the tasks, the capabilities and the paths of the checks' code; `data` is the folder of
 * the contract. The results live as long as the plan and `arena`. */
int hn_run_input_plan(const struct hn_plan *plan, const char *data, struct hn_arena *arena,
                      struct hn_run_input *input, struct hn_error *error);

#endif
