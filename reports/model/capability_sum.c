/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the state of each capability after a run (claimed, probed, proven), only from checks.
 */
#include <string.h>

#include "model_internal.h"
#include "run_set.h"

const char *const rp_standing_names[RP_STANDINGS] = {"not shown", "proven", "absent", "lacking",
                                                     "broken"};

static struct rp_capability *find(struct rp_builder *builder, const char *name)
{
    for (size_t i = 0; i < builder->run->capability_count; i++)
        if (strcmp(builder->capabilities[i].name, name) == 0)
            return &builder->capabilities[i];
    return NULL;
}

static int has_failed(enum hn_verdict verdict)
{
    return hn_verdict_table[verdict].fails;
}

static void add_check(struct rp_builder *builder, const struct rp_check *check)
{
    for (size_t i = 0; i < check->capabilities.count; i++) {
        struct rp_capability *capability = find(builder, check->capabilities.items[i]);
        if (!capability || check == capability->refusal)
            continue;
        capability->worst = capability->total ? hn_verdict_worse(capability->worst, check->verdict)
                                              : check->verdict;
        capability->total++;
        capability->kept += (size_t)rp_is_kept(check->verdict);
    }
}

static enum rp_standing standing_of(const struct rp_capability *capability)
{
    const struct rp_check *probe = capability->probe, *refusal = capability->refusal;
    if ((probe && has_failed(probe->verdict)) || (refusal && has_failed(refusal->verdict)) ||
        (capability->total && has_failed(capability->worst)))
        return RP_BROKEN;
    if (capability->kept)
        return RP_PROVEN;
    if (refusal && (refusal->verdict == HN_PASS || refusal->verdict == HN_FLAKY))
        return RP_ABSENT;
    if (probe && hn_verdict_table[probe->verdict].good)
        return RP_PROVEN;
    return (probe && probe->verdict == HN_SKIP) ||
                   (capability->total && capability->worst == HN_SKIP)
               ? RP_LACKING
               : RP_UNSHOWN;
}

int rp_sum_capabilities(struct rp_builder *builder)
{
    for (size_t i = 0; i < builder->run->capability_count; i++) {
        struct rp_capability *capability = &builder->capabilities[i];
        capability->probe = rp_find_check(builder, capability->probe_id);
        capability->refusal = rp_find_check(builder, capability->refusal_id);
        capability->worst = HN_NOTRUN;
    }
    for (size_t i = 0; i < builder->check_count; i++)
        add_check(builder, &builder->checks[i]);
    for (size_t i = 0; i < builder->run->capability_count; i++)
        builder->capabilities[i].standing = standing_of(&builder->capabilities[i]);
    return HN_OK;
}
