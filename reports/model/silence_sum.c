/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the silence of a run by silence.h, which also decides the exit status.
 */
#include <string.h>

#include "model_internal.h"

#define HOPS_MOST 100 /* bounds the walk if a forged journal has a cycle */

/* 1 if the target claims to lack the capability, and the refusal check saw a clean refusal. */
static int is_shown_lacking(const struct rp_run *run, const char *name)
{
    for (size_t i = 0; i < run->capability_count; i++) {
        const struct rp_capability *one = &run->capabilities[i];
        if (strcmp(one->name, name) == 0)
            return one->claim == HN_CLAIM_NO && one->refusal &&
                   (one->refusal->verdict == HN_PASS || one->refusal->verdict == HN_FLAKY);
    }
    return 0;
}

static int is_explained(struct rp_builder *builder, const struct rp_check *check)
{
    if (check->follows)
        return 1;
    for (int hops = 0; check && check->verdict == HN_SKIP && hops < HOPS_MOST; hops++) {
        for (size_t i = 0; i < check->capabilities.count; i++)
            if (is_shown_lacking(builder->run, check->capabilities.items[i]))
                return 1;
        check = check->blocked_by[0] ? rp_find_check(builder, check->blocked_by) : NULL;
    }
    return 0;
}

void rp_sum_silence(struct rp_builder *builder)
{
    for (size_t i = 0; i < builder->check_count; i++) {
        struct rp_check *check = &builder->checks[i];
        check->is_explained = is_explained(builder, check);
        if (!check->support && check->level == HN_MUST)
            hn_silence_add(&builder->run->silence, check->verdict, check->is_explained);
    }
}
