/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a target said of itself in a warm-up (host/describe.h): for the plan as claims of its
 * adapter, for the journal as members of its "target" record. Called by session.c.
 */
#ifndef HN_DESCRIPTION_H
#define HN_DESCRIPTION_H

#include "arena.h"
#include "plan_make.h"

struct hn_description {
    const char
        *members; /* ",\"device\":...", for struct hn_run_options; NULL when nothing is known */
    struct hn_plan_claim *claims; /* source "adapter" */
    size_t claim_count;
};

/* `notes` are items of a JSON array, as in struct hn_found. Everything lives in `arena`. */
int hn_description_read(const char *notes, struct hn_arena *arena,
                        struct hn_description *description, struct hn_error *error);

#endif
