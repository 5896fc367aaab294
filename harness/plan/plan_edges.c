/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes the dependencies of each check: builds_on, and the probes and refusal checks of the
 * capabilities that it needs. This is the first step of making a plan.
 */
#include <string.h>

#include "plan_internal.h"

/* A check that needs more than one device also needs this capability. */
static const char several_devices[] = "multi_device";

static size_t index_of(const struct hn_maker *maker, const struct hn_check *check)
{
    return (size_t)(check - maker->catalogue->checks);
}

static void add_edge(struct hn_edges *edges, size_t item)
{
    for (size_t i = 0; i < edges->count; i++)
        if (edges->items[i] == item)
            return;
    edges->items[edges->count++] = item;
}

/* Marks `check` and all checks that it builds on. */
static void mark_foundations(const struct hn_maker *maker, const struct hn_check *check,
                             unsigned char *marks)
{
    if (!check || marks[index_of(maker, check)])
        return;
    marks[index_of(maker, check)] = 1;
    for (size_t i = 0; i < check->builds_on_count; i++)
        mark_foundations(maker, check->builds_on[i], marks);
}

/* Adds the probe and refusal check of the capability, because a check that needs the capability
 * waits for them. */
static void add_deciders(const struct hn_maker *maker, uint32_t capability, struct hn_edges *after)
{
    const struct hn_contract_capability *entry = &maker->catalogue->capabilities[capability];
    const enum hn_claim claim = maker->capabilities[capability].claim;
    if (entry->probe && claim == HN_CLAIM_UNKNOWN)
        add_edge(after, index_of(maker, entry->probe));
    if (entry->refusal && claim != HN_CLAIM_YES)
        add_edge(after, index_of(maker, entry->refusal));
}

static int needs_capability(const struct hn_check *check, const char *name)
{
    return hn_texts_contain(&check->capabilities, name) ||
           (check->devices > 1 && strcmp(name, several_devices) == 0);
}

/* Makes all checks that need the capability wait for the capability's probe and refusal check.
 * Checks on which the probe or the refusal check builds do not wait, because they would wait for
 * themselves. */
static int add_capability(struct hn_maker *maker, uint32_t capability)
{
    const struct hn_catalogue *catalogue = maker->catalogue;
    const struct hn_contract_capability *entry = &catalogue->capabilities[capability];
    unsigned char *foundations = hn_arena_alloc(maker->scratch, catalogue->check_count + 1);
    if (!foundations)
        return hn_error_nomem(maker->error);
    mark_foundations(maker, entry->probe, foundations);
    mark_foundations(maker, entry->refusal, foundations);
    for (uint32_t i = 0; i < catalogue->check_count; i++) {
        if (foundations[i] || !needs_capability(&catalogue->checks[i], entry->name))
            continue;
        add_edge(&maker->drafts[i].capabilities, capability);
        add_deciders(maker, capability, &maker->drafts[i].after);
    }
    return HN_OK;
}

/* Without a claim, the refusal check waits for the probe, because the refusal check is useful only
 * if the probe did not find the capability. If the claim is no, the probe waits for the refusal
 * check. */
static void join_probe_and_refusal(struct hn_maker *maker, uint32_t capability)
{
    const struct hn_contract_capability *entry = &maker->catalogue->capabilities[capability];
    const enum hn_claim claim = maker->capabilities[capability].claim;
    struct hn_draft *probe = entry->probe ? &maker->drafts[index_of(maker, entry->probe)] : NULL;
    struct hn_draft *refusal =
        entry->refusal ? &maker->drafts[index_of(maker, entry->refusal)] : NULL;
    if (probe && refusal && claim == HN_CLAIM_UNKNOWN)
        add_edge(&refusal->after, index_of(maker, entry->probe));
    if (probe && refusal && claim == HN_CLAIM_NO)
        add_edge(&probe->after, index_of(maker, entry->refusal));
}

/* Allocates room for the largest number of edges that a check may get. */
static int prepare(struct hn_maker *maker, uint32_t index)
{
    const struct hn_check *check = &maker->catalogue->checks[index];
    struct hn_draft *draft = &maker->drafts[index];
    const size_t capabilities = check->capabilities.count + 1;
    const size_t most = check->builds_on_count + check->fails_with_count + 2 * capabilities + 2;
    draft->after.items = hn_arena_array(maker->scratch, most, sizeof *draft->after.items);
    draft->capabilities.items =
        hn_arena_array(maker->arena, capabilities, sizeof *draft->capabilities.items);
    if (!draft->after.items || !draft->capabilities.items)
        return hn_error_nomem(maker->error);
    for (size_t i = 0; i < check->builds_on_count; i++)
        add_edge(&draft->after, index_of(maker, check->builds_on[i]));
    for (size_t i = 0; i < check->fails_with_count; i++)
        add_edge(&draft->after, index_of(maker, check->fails_with[i]));
    return HN_OK;
}

int hn_plan_edges(struct hn_maker *maker)
{
    int status = HN_OK;
    for (uint32_t i = 0; !status && i < maker->catalogue->check_count; i++)
        status = prepare(maker, i);
    for (uint32_t i = 0; !status && i < maker->catalogue->capability_count; i++) {
        join_probe_and_refusal(maker, i);
        status = add_capability(maker, i);
    }
    return status;
}
