/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the `build:` steps of a profile, before the first check. Called by session.c.
 */
#ifndef HN_BUILD_STEPS_H
#define HN_BUILD_STEPS_H

#include <stdio.h>

#include "hn_error.h"
#include "input.h"
#include "profile.h"

#define HN_BUILD_FAILED 640
#define HN_BUILD_LOG "build.log"

/* Runs the steps in order, in the profile's folder and environment. The output of the steps goes
 * into build.log of the run's folder. If a step fails, the function returns HN_OK, `failed` names
 * the step and how it ended, and the later steps are not run. */
int hn_build_steps_run(const struct hn_profile *profile, const struct hn_run_target *target,
                       const char *folder, FILE *out, char failed[HN_BUILD_FAILED],
                       struct hn_error *error);

#endif
