/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists the checks that each stage of a backend needs on the target's torch. The plan stores the
 * lists, so that a run can later be read without the contract. Called while a plan is made.
 */
#include "plan_internal.h"
#include "select.h"

/* Checks of the stage in the order of the contract, without checks that do not apply to torch. */
static int take_stage(struct hn_maker *maker, const struct hn_selection *selection,
                      unsigned char *selected, struct hn_plan_stage *stage)
{
    const struct hn_catalogue *catalogue = maker->catalogue;
    const int status = hn_select(catalogue, selection->select, selected, maker->error);
    *stage = (struct hn_plan_stage){.stage = selection};
    if (status)
        return status;
    stage->checks = hn_arena_array(maker->arena, catalogue->check_count + 1, sizeof *stage->checks);
    if (!stage->checks)
        return hn_error_nomem(maker->error);
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (selected[i] && !maker->drafts[i].other_torch)
            stage->checks[stage->count++] = &catalogue->checks[i];
    return HN_OK;
}

int hn_plan_stages(struct hn_maker *maker, struct hn_plan *plan)
{
    const struct hn_catalogue *catalogue = maker->catalogue;
    unsigned char *selected = hn_arena_alloc(maker->scratch, catalogue->check_count + 1);
    struct hn_plan_stage *stages =
        hn_arena_array(maker->arena, catalogue->selection_count + 1, sizeof *stages);
    int status = selected && stages ? HN_OK : hn_error_nomem(maker->error);
    plan->stages = stages;
    for (size_t i = 0; !status && i < catalogue->selection_count; i++)
        if (catalogue->selections[i].is_stage)
            status = take_stage(maker, &catalogue->selections[i], selected,
                                &stages[plan->stage_count++]);
    return status;
}
