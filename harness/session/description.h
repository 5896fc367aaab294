/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the description that a target gives of itself in a warm-up (host/job/describe.h). The
 * description becomes a record of the journal, and claims of the adapter for the plan. Called by
 * session.c.
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
    int uncounted; /* a device is usable, but guard and hooks do not count it */
    int may_ask;   /* queries that start nothing: HN_MAY_... of host/target/process_state.h */
    struct hn_target_record target;
    struct hn_plan_claim *claims; /* with source "adapter" */
    size_t claim_count;
    struct hn_load_switch *load_switches;
    size_t load_switch_count;
};

/* Returns the setting of a switch that acts at load; NULL if `name` is no such switch. */
const char *hn_description_setting(const struct hn_description *description, const char *name);

/* The result lives in `arena`. */
int hn_description_read(const struct hn_notes *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error);

#endif
