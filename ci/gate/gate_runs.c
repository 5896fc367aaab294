/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules about runs as a whole: can they be read, do they belong together, is all of it there,
 * and was the backend built and loaded at all. Called by gate_decide.c before any check is looked at.
 */
#include <stdio.h>
#include <string.h>

#include "clean_text.h"
#include "gate_internal.h"

#define MORE 1024

struct about { /* one run beside head */
    const struct ci_side *side;
    const char *name;
    enum ci_rule_id unusable;
};

static int add(struct ci_judge *judge, enum ci_rule_id rule, const char *more, int *comparable)
{
    *comparable = 0;
    return ci_add_cause(judge, rule, NULL, more);
}

static const char *or_nothing(const char *text)
{
    return text[0] ? text : "not said";
}

/* `a` and `b` are foreign. */
static void say_both(char *more, const char *name, const char *a, const char *b)
{
    struct hn_buffer text;

    hn_buffer_init(&text, MORE - 1);
    hn_buffer_puts(&text, "Head says ");
    ci_clean(&text, or_nothing(a), 100);
    hn_buffer_printf(&text, ", %s says ", name);
    ci_clean(&text, or_nothing(b), 100);
    hn_buffer_putc(&text, '.');
    snprintf(more, MORE, "%s", text.text);
    hn_buffer_finish(&text);
}

static int check_version(struct ci_judge *judge, const struct rp_run *run, const char *name,
                         int *comparable)
{
    char more[MORE];

    if (run->contract == judge->policy->contract)
        return HN_OK;
    snprintf(more, sizeof more, "The contract is version %d, the %s run has version %d.",
             judge->policy->contract, name, run->contract);
    return add(judge, CI_CONTRACT_DIFFERS, more, comparable);
}

static int check_other(struct ci_judge *judge, const struct about *about, int *comparable)
{
    const struct rp_run *head = judge->now->head.run, *run = about->side->run;
    char more[MORE];
    int status = HN_OK;

    if (!about->side->given)
        return HN_OK;
    if (!run)
        return add(judge, about->unusable, about->side->refusal, comparable);
    status = check_version(judge, run, about->name, comparable);
    if (!status && strcmp(head->target, run->target) != 0) {
        say_both(more, about->name, head->target, run->target);
        status = add(judge, CI_TARGET_DIFFERS, more, comparable);
    }
    if (!status && *comparable && strcmp(head->digest, run->digest) != 0) {
        say_both(more, about->name, head->digest, run->digest);
        status = add(judge, CI_SUITE_DIFFERS, more, comparable);
    }
    return status;
}

/* Two builds of one version differ in their revision; a run that does not know it is no witness. */
static int check_torch(struct ci_judge *judge, int *comparable)
{
    const struct rp_run *head = judge->now->head.run, *run = judge->now->unadapted.run;
    char more[MORE];

    if (!run || !*comparable ||
        (strcmp(head->torch_git, run->torch_git) == 0 &&
         strcmp(head->torch_version, run->torch_version) == 0))
        return HN_OK;
    say_both(more, "the unadapted run", head->torch_git[0] ? head->torch_git : head->torch_version,
             run->torch_git[0] ? run->torch_git : run->torch_version);
    return add(judge, CI_TORCH_DIFFERS, more, comparable);
}

static int check_step(struct ci_judge *judge, int *comparable)
{
    const struct ci_step_failure *head = &judge->now->head.failure,
                                 *base = &judge->now->base.failure;
    enum ci_rule_id rule = CI_BACKEND_UNBUILDABLE;

    if (head->step == CI_STEP_NONE)
        return HN_OK;
    if (base->step != CI_STEP_NONE)
        rule = CI_BACKEND_UNBUILDABLE_BEFORE;
    else if (head->ours)
        rule = CI_BACKEND_STEP_UNDECIDED;
    *comparable = 0;
    return ci_add_cause(judge, rule, head->interface_name, head->message);
}

static int check_extent(struct ci_judge *judge)
{
    const struct rp_run *head = judge->now->head.run;
    char more[MORE];
    int status = HN_OK;

    if (head->shards > 1) {
        snprintf(more, sizeof more, "It is shard %d of %d.", head->shard, head->shards);
        status = ci_add_cause(judge, CI_HEAD_IS_A_SHARD, NULL, more);
    }
    if (!status && (!head->complete || head->torn)) {
        struct hn_buffer text;
        hn_buffer_init(&text, MORE);
        ci_clean(&text, head->why, 400);
        status = ci_add_cause(judge, CI_HEAD_INCOMPLETE, NULL, text.text);
        hn_buffer_finish(&text);
    }
    return status;
}

int ci_judge_runs(struct ci_judge *judge, int *comparable)
{
    const struct ci_case *now = judge->now;
    const struct about others[] = {
        {&now->base, "base", CI_BASE_UNUSABLE},
        {&now->unadapted, "the unadapted run", CI_UNADAPTED_UNUSABLE},
    };
    int status = HN_OK;

    *comparable = 1;
    if (!now->head.run)
        return add(judge, CI_HEAD_UNUSABLE, now->head.refusal, comparable);
    status = check_version(judge, now->head.run, "head", comparable);
    for (size_t i = 0; !status && i < sizeof others / sizeof *others; i++)
        status = check_other(judge, &others[i], comparable);
    if (!status)
        status = check_torch(judge, comparable);
    if (!status && *comparable)
        status = check_step(judge, comparable);
    return status || !*comparable ? status : check_extent(judge);
}
