/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a target said of itself in a warm-up (host/describe.h): for the journal as its record, for
 * the plan as claims of its adapter. Called by session.c.
 */
#ifndef HN_DESCRIPTION_H
#define HN_DESCRIPTION_H

#include "arena.h"
#include "plan_make.h"
#include "record.h"

struct hn_description {
    int known; /* it said something */
    struct hn_target_record target;
    struct hn_plan_claim *claims; /* source "adapter" */
    size_t claim_count;
};

/* Everything lives in `arena`. */
int hn_description_read(const struct hn_notes *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error);

#endif
