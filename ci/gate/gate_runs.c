/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Applies the rules about whole runs: each must be readable and complete, all must be of the same
 * target, and the backend must have been built and loaded. Called by gate_decide.c before any check
 * is judged.
 */
#include <string.h>

#include "gate_internal.h"

struct about { /* one run other than head */
    const struct ci_side *side;
    const char *name;
    enum ci_rule_id unusable;
};

static int add(struct ci_judge *judge, enum ci_rule_id rule, const char *more)
{
    judge->comparable = 0;
    return ci_add_cause(judge, rule, NULL, more);
}

/* `a` and `b` are untrusted text. */
static int add_both(struct ci_judge *judge, enum ci_rule_id rule, const char *name, const char *a,
                    const char *b)
{
    return add(judge, rule,
               hn_arena_text(judge->arena, "Head says %s, %s says %s.",
                             ci_said(judge, a[0] ? a : "not said", 100), name,
                             ci_said(judge, b[0] ? b : "not said", 100)));
}

static int check_version(struct ci_judge *judge, const struct rp_run *run, const char *name)
{
    if (run->contract == judge->policy->contract)
        return HN_OK;
    return add(judge, CI_CONTRACT_DIFFERS,
               hn_arena_text(judge->arena, "The contract is version %d, the %s run has version %d.",
                             judge->policy->contract, name, run->contract));
}

static int check_other(struct ci_judge *judge, const struct about *about)
{
    const struct rp_run *head = judge->now->head.run, *run = about->side->run;
    if (!about->side->given)
        return HN_OK;
    if (!run)
        return add(judge, about->unusable, about->side->refusal);
    int status = check_version(judge, run, about->name);
    if (!status && strcmp(head->target, run->target) != 0)
        status = add_both(judge, CI_TARGET_DIFFERS, about->name, head->target, run->target);
    if (!status && judge->comparable && strcmp(head->digest, run->digest) != 0)
        status = add_both(judge, CI_SUITE_DIFFERS, about->name, head->digest, run->digest);
    return status;
}

/* Two builds of one version have different revisions. A run without a revision is not compared. */
static int check_torch(struct ci_judge *judge)
{
    const struct rp_run *head = judge->now->head.run, *run = judge->now->unadapted.run;
    if (!run || !judge->comparable ||
        (strcmp(head->torch_git, run->torch_git) == 0 &&
         strcmp(head->torch_version, run->torch_version) == 0))
        return HN_OK;
    return add_both(judge, CI_TORCH_DIFFERS, "the unadapted run",
                    head->torch_git[0] ? head->torch_git : head->torch_version,
                    run->torch_git[0] ? run->torch_git : run->torch_version);
}

static int check_step(struct ci_judge *judge)
{
    const struct ci_step_failure *head = &judge->now->head.failure,
                                 *base = &judge->now->base.failure;
    enum ci_rule_id rule = CI_BACKEND_UNBUILDABLE;
    if (head->step == CI_STEP_NONE)
        return HN_OK;
    if (base->step != CI_STEP_NONE)
        rule = CI_BACKEND_UNBUILDABLE_BEFORE;
    else if (head->step == CI_STEP_LOAD) /* the pull request need not be the cause */
        rule = CI_BACKEND_NOT_LOADED;
    else if (head->ours)
        rule = CI_BACKEND_STEP_UNDECIDED;
    judge->comparable = 0;
    return ci_add_cause(judge, rule, head->interface_name, head->message);
}

static int check_extent(struct ci_judge *judge)
{
    const struct rp_run *head = judge->now->head.run;
    int status = HN_OK;
    if (head->shards > 1)
        status = ci_add_cause(
            judge, CI_HEAD_IS_A_SHARD, NULL,
            hn_arena_text(judge->arena, "It is shard %d of %d.", head->shard, head->shards));
    if (!status && (!head->complete || head->torn))
        status = ci_add_cause(judge, CI_HEAD_INCOMPLETE, NULL, ci_said(judge, head->why, 400));
    return status;
}

int ci_judge_runs(struct ci_judge *judge)
{
    const struct ci_case *now = judge->now;
    const struct about others[] = {
        {&now->base, "base", CI_BASE_UNUSABLE},
        {&now->unadapted, "the unadapted run", CI_UNADAPTED_UNUSABLE},
    };
    int status = HN_OK;
    judge->comparable = 1;
    if (!now->head.run)
        return add(judge, CI_HEAD_UNUSABLE, now->head.refusal);
    status = check_version(judge, now->head.run, "head");
    for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++)
        status = check_other(judge, &others[i]);
    if (!status)
        status = check_torch(judge);
    if (!status && judge->comparable)
        status = check_step(judge);
    return status || !judge->comparable ? status : check_extent(judge);
}
