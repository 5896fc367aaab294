/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a plan in steps: claims, selection, edges, shard, order, flat copy. Called by the
 * sub-commands that run checks.
 */
#include "plan_make.h"

#include <stdio.h>
#include <string.h>

#include "hash.h"
#include "nearest.h"
#include "plan_internal.h"
#include "select.h"

#define MEMORY ((size_t)1 << 30)

struct owner {
    struct hn_plan plan; /* must be the first member, because the pointer to it is cast back */
    struct hn_arena *arena;
};

static int complain_capability(struct hn_maker *maker, const char *name)
{
    struct hn_nearest search;
    hn_nearest_begin(&search, name);
    HN_NEAREST_OFFER_ALL(&search, maker->catalogue->capabilities,
                         maker->catalogue->capability_count);
    return hn_error_set(
        maker->error, HN_EINPUT,
        "the target claims a capability \"%.60s\" that the contract does not know%s", name,
        hn_nearest_hint(&search));
}

static int take_claims(struct hn_maker *maker)
{
    const struct hn_catalogue *catalogue = maker->catalogue;
    const size_t count = catalogue->capability_count;
    maker->capabilities = hn_arena_array(maker->arena, count + 1, sizeof *maker->capabilities);
    if (!maker->capabilities)
        return hn_error_nomem(maker->error);
    for (size_t i = 0; i < count; i++)
        maker->capabilities[i] = (struct hn_capability){.name = catalogue->capabilities[i].name,
                                                        .source = "",
                                                        .probe = HN_NONE,
                                                        .refusal = HN_NONE};
    for (size_t i = 0; i < maker->request->claim_count; i++) {
        const struct hn_plan_claim *claim = &maker->request->claims[i];
        const struct hn_contract_capability *found =
            hn_catalogue_capability(catalogue, claim->capability);
        if (!found)
            return complain_capability(maker, claim->capability);
        struct hn_capability *entry = &maker->capabilities[found - catalogue->capabilities];
        if (entry->claim == HN_CLAIM_UNKNOWN && claim->claim != HN_CLAIM_UNKNOWN) {
            entry->claim = claim->claim;
            entry->source = claim->source;
        }
    }
    return HN_OK;
}

/* Removes checks that do not apply to the target's torch. */
static int leave_out_other_torch(struct hn_maker *maker, struct hn_plan *plan)
{
    const char *torch = maker->request->torch ? maker->request->torch : "";
    const size_t count = maker->catalogue->check_count;
    plan->other_torch = hn_arena_array(maker->arena, count + 1, sizeof *plan->other_torch);
    if (!plan->other_torch)
        return hn_error_nomem(maker->error);
    for (size_t i = 0; i < count; i++) {
        const struct hn_check *check = &maker->catalogue->checks[i];
        struct hn_draft *draft = &maker->drafts[i];
        draft->other_torch = !hn_torch_range_has(check->torch, torch);
        if (draft->other_torch && draft->selected)
            plan->other_torch[plan->other_torch_count++] = check;
        draft->selected &= !draft->other_torch;
    }
    return HN_OK;
}

static int take_selection(struct hn_maker *maker)
{
    const char *select = maker->request->select ? maker->request->select : "all";
    const size_t count = maker->catalogue->check_count;
    unsigned char *selected = hn_arena_alloc(maker->scratch, count + 1);
    if (!selected)
        return hn_error_nomem(maker->error);
    const int status = hn_select(maker->catalogue, select, selected, maker->error);
    for (size_t i = 0; !status && i < count; i++)
        maker->drafts[i].selected = selected[i];
    return status;
}

static void need(struct hn_maker *maker, size_t check)
{
    struct hn_draft *draft = &maker->drafts[check];
    if (draft->needed || draft->other_torch)
        return;
    draft->needed = 1;
    for (size_t i = 0; i < draft->after.count; i++)
        need(maker, draft->after.items[i]);
}

/* The shard of a check depends only on the hash of its id, not on the other selected checks. The
 * checks that it waits for are added as support. */
static int take_shard(struct hn_maker *maker)
{
    const struct hn_plan_request *request = maker->request;
    const uint32_t shards = request->shards ? request->shards : 1;
    const uint32_t shard = request->shards ? request->shard : 1;
    if (shard < 1 || shard > shards)
        return hn_error_set(maker->error, HN_EUSAGE, "there is no shard %u of %u", shard, shards);
    for (uint32_t i = 0; i < maker->catalogue->check_count; i++) {
        struct hn_draft *draft = &maker->drafts[i];
        const uint64_t hash = hn_hash_text(HN_HASH_START, maker->catalogue->checks[i].id);
        draft->owned = draft->selected && hn_hash_mix(hash) % shards == shard - 1;
        if (request->alone)
            draft->after.count = 0;
        draft->priority = request->seed ? hn_hash_mix(hash ^ hn_hash_mix(request->seed)) : i;
        if (draft->owned)
            need(maker, i);
    }
    return HN_OK;
}

static int run_steps(struct hn_maker *maker, struct hn_plan *plan)
{
    int status = take_claims(maker);
    if (!status)
        status = take_selection(maker);
    if (!status)
        status = leave_out_other_torch(maker, plan);
    if (!status)
        status = hn_plan_stages(maker, plan);
    if (!status)
        status = hn_plan_edges(maker);
    if (!status)
        status = take_shard(maker);
    if (!status)
        status = hn_plan_order(maker);
    if (!status)
        status = hn_plan_flatten(maker, plan);
    return status;
}

int hn_plan_make(const struct hn_plan_request *request, struct hn_plan **plan,
                 struct hn_error *error)
{
    struct hn_maker maker = {.request = request, .catalogue = request->catalogue, .error = error};
    struct owner *owner = hn_arena_owner(sizeof *owner, MEMORY, &maker.arena);
    int status = HN_ENOMEM;
    *plan = NULL;
    maker.scratch = hn_arena_create(MEMORY);
    if (owner)
        owner->arena = maker.arena;
    if (maker.scratch && owner)
        maker.drafts = hn_arena_array(maker.scratch, request->catalogue->check_count + 1,
                                      sizeof *maker.drafts);
    if (!maker.drafts)
        hn_error_nomem(error);
    else
        status = run_steps(&maker, &owner->plan);
    hn_arena_destroy(maker.scratch);
    if (status && owner)
        hn_arena_destroy(owner->arena);
    else if (!status)
        *plan = &owner->plan;
    return status;
}

void hn_plan_destroy(struct hn_plan *plan)
{
    struct owner *owner = (struct owner *)plan;
    hn_arena_destroy(owner ? owner->arena : NULL);
}
