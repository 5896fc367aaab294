/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the final plan, in which indices of checks are replaced by indices of tasks. This is the
 * last step of making a plan.
 */
#include "plan_internal.h"

struct copier {
    struct hn_maker *maker;
    int failed; /* an allocation failed; the caller tests this once, at the end */
};

static void *copy_array(struct copier *copier, size_t count, size_t size)
{
    void *items = hn_arena_array(copier->maker->arena, count + 1, size);
    copier->failed |= !items;
    return items;
}

/* Replaces indices of checks by indices of tasks. */
static struct hn_indices copy_checks(struct copier *copier, const struct hn_check *const *checks,
                                     size_t most)
{
    const struct hn_maker *maker = copier->maker;
    size_t *items = copy_array(copier, most, sizeof *items);
    size_t count = 0;
    for (size_t i = 0; items && i < most; i++) {
        const struct hn_draft *draft = &maker->drafts[checks[i] - maker->catalogue->checks];
        if (draft->needed)
            items[count++] = draft->task;
    }
    return (struct hn_indices){items, count};
}

static void copy_task(struct copier *copier, uint32_t index, struct hn_task *task)
{
    const struct hn_check *check = &copier->maker->catalogue->checks[index];
    const struct hn_draft *draft = &copier->maker->drafts[index];
    *task = (struct hn_task){
        .check = check,
        .builds_on = copy_checks(copier, check->builds_on, check->builds_on_count),
        .fails_with = copy_checks(copier, check->fails_with, check->fails_with_count),
        .capabilities = {draft->capabilities.items, draft->capabilities.count},
        .armed = copier->maker->request->arm,
        .support = !draft->owned,
    };
}

static void copy_capability_list(struct copier *copier)
{
    struct hn_maker *maker = copier->maker;
    for (size_t i = 0; i < maker->catalogue->capability_count; i++) {
        const struct hn_contract_capability *from = &maker->catalogue->capabilities[i];
        struct hn_capability *to = &maker->capabilities[i];
        if (from->probe && maker->drafts[from->probe - maker->catalogue->checks].needed)
            to->probe = maker->drafts[from->probe - maker->catalogue->checks].task;
        if (from->refusal && maker->drafts[from->refusal - maker->catalogue->checks].needed)
            to->refusal = maker->drafts[from->refusal - maker->catalogue->checks].task;
    }
}

/* Lists the requirements that the tasks cover, in the order of the contract. */
static void copy_requirements(struct copier *copier, struct hn_plan *plan)
{
    const struct hn_maker *maker = copier->maker;
    const struct hn_catalogue *catalogue = maker->catalogue;
    unsigned char *used = hn_arena_alloc(maker->scratch, catalogue->requirement_count + 1);
    const struct hn_requirement **items =
        copy_array(copier, catalogue->requirement_count, sizeof *items);
    if (!used || !items) {
        copier->failed = 1;
        return;
    }
    for (size_t i = 0; i < maker->order_count; i++) {
        const struct hn_check *check = &catalogue->checks[maker->order[i]];
        for (size_t j = 0; j < check->covers_count; j++)
            used[check->covers[j] - catalogue->requirements] = 1;
    }
    for (size_t i = 0; i < catalogue->requirement_count; i++)
        if (used[i])
            items[plan->requirement_count++] = &catalogue->requirements[i];
    plan->requirements = items;
}

int hn_plan_flatten(struct hn_maker *maker, struct hn_plan *plan)
{
    const struct hn_plan_request *request = maker->request;
    struct copier copier = {.maker = maker};
    struct hn_task *tasks = copy_array(&copier, maker->order_count, sizeof *tasks);
    *plan = (struct hn_plan){
        .contract = maker->catalogue->version,
        .digest = maker->catalogue->digest,
        .tasks = tasks,
        .count = tasks ? maker->order_count : 0,
        .capabilities = maker->capabilities,
        .capability_count = maker->catalogue->capability_count,
        .shard = request->shards ? request->shard : 1,
        .shards = request->shards ? request->shards : 1,
        .seed = request->seed,
        .other_torch = plan->other_torch,
        .other_torch_count = plan->other_torch_count,
        .stages = plan->stages,
        .stage_count = plan->stage_count,
    };
    for (size_t i = 0; i < plan->count; i++)
        copy_task(&copier, maker->order[i], &tasks[i]);
    copy_capability_list(&copier);
    copy_requirements(&copier, plan);
    for (size_t i = 0; i < maker->catalogue->requirement_count; i++)
        plan->promised[maker->catalogue->requirements[i].level]++;
    return copier.failed ? hn_error_nomem(maker->error) : HN_OK;
}
