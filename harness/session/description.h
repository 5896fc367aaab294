/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The description of a target by itself in a warm-up (host/job/describe.h): as a record for the
 * journal, and as claims of its adapter for the plan. Called by session.c.
 */
#ifndef HN_DESCRIPTION_H
#define HN_DESCRIPTION_H

#include "arena.h"
#include "plan_make.h"
#include "record.h"

/* A switch of the target that acts while it is loaded, and the setting that turns it on. */
struct hn_load_switch {
    const char *name, *setting; /* "NAME=value", an environment variable */
};

struct hn_description {
    int known;     /* a description exists */
    int uncounted; /* its device is usable, but neither guard nor hooks count it */
    int may_ask;   /* queries that start nothing: HN_MAY_... of host/target/process_state.h */
    struct hn_target_record target;
    struct hn_plan_claim *claims; /* with source "adapter" */
    size_t claim_count;
    struct hn_load_switch *load_switches;
    size_t load_switch_count;
};

/* The setting of a switch that acts at load; NULL if `name` is no such switch. */
const char *hn_description_setting(const struct hn_description *description, const char *name);

/* Everything lives in `arena`. */
int hn_description_read(const struct hn_notes *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error);

#endif
