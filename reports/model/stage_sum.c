/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stages of a run's backend: which of their checks hold, are open, cannot be observed or
 * were not tested.
 */
#include "model_internal.h"
#include "run_set.h"

int rp_stage_is_reached(const struct rp_stage *stage)
{
    return !stage->open_count && !stage->unasked;
}

const char *rp_run_stage(const struct rp_run *run)
{
    size_t reached = 0;
    if (!run->stage_count || run->stages[0].unasked)
        return NULL;
    while (reached < run->stage_count && rp_stage_is_reached(&run->stages[reached]))
        reached++;
    return reached ? run->stages[reached - 1].name : "none";
}

/* A missing optional capability is excused, unless the stage needs it. */
static int is_excused(const struct rp_stage *stage, const struct rp_check *check)
{
    return check->verdict == HN_SKIP && !hn_texts_contain(&stage->capabilities, check->about);
}

static void add_check(struct rp_stage *stage, const struct rp_check *check)
{
    if (!check || check->verdict == HN_NOTRUN || check->verdict == HN_INCOMPLETE)
        stage->unasked++;
    else if (check->verdict == HN_UNOBSERVABLE)
        stage->unseen++;
    else if (rp_is_kept(check->verdict))
        stage->kept++;
    else if (!is_excused(stage, check))
        stage->open[stage->open_count++] = check->id;
}

int rp_sum_stages(struct rp_builder *builder)
{
    for (size_t i = 0; i < builder->run->stage_count; i++) {
        struct rp_stage *stage = &builder->stages[i];
        stage->open = hn_arena_array(builder->arena, stage->checks.count + 1, sizeof *stage->open);
        if (!stage->open)
            return hn_error_nomem(builder->error);
        for (size_t j = 0; j < stage->checks.count; j++)
            add_check(stage, rp_find_check(builder, stage->checks.items[j]));
    }
    return HN_OK;
}
