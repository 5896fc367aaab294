/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Description of a target by itself in a warm-up (host/job/describe.h): for the journal as its record,
 * for the plan as claims of its adapter. Called by session.c.
 */
#ifndef HN_DESCRIPTION_H
#define HN_DESCRIPTION_H

#include "arena.h"
#include "plan_make.h"
#include "record.h"

/* A switch of the target that acts while it is loaded, and the setting that is its way. */
struct hn_load_switch {
    const char *name, *setting; /* "NAME=value", for the environment */
};

struct hn_description {
    int known;     /* it said something */
    int uncounted; /* its device is usable, and nobody counts it */
    int may_ask;   /* what starts nothing: HN_MAY_... of host/target/process_state.h */
    struct hn_target_record target;
    struct hn_plan_claim *claims; /* source "adapter" */
    size_t claim_count;
    struct hn_load_switch *load_switches;
    size_t load_switch_count;
};

/* How the switch is set before the target is loaded; NULL for one that is not known to act then. */
const char *hn_description_setting(const struct hn_description *description, const char *name);

/* Everything lives in `arena`. */
int hn_description_read(const struct hn_notes *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error);

#endif
