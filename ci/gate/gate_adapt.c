/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether backends must adapt. The unadapted run (base's backend, head's PyTorch) is
 * compared with base by the same table of pairs. If a check is good on head but would block in the
 * unadapted run, every backend must adapt to the change. Called by gate_decide.c after the checks.
 */
#include "gate_internal.h"

static int is_good(const struct rp_check *check)
{
    return hn_verdict_table[check->verdict].good;
}

static unsigned char adapt_of(const struct ci_judge *judge, const struct ci_line *line)
{
    if (!line->head || !is_good(line->head))
        return 0;
    if (!line->unadapted)
        return CI_ADAPT_UNSURE;
    /* Without a base run, head is the reference. */
    const struct rp_check *before = judge->now->base.given ? line->base : line->head;
    const enum ci_rule_id rule =
        ci_rule_of_pair(ci_verdict_of(line->unadapted), before ? (int)before->verdict : CI_NO_BASE);
    if (ci_rules[rule].decides == CI_BLOCKED)
        return CI_ADAPT_CHECKS;
    return ci_rules[rule].decides == CI_UNDECIDED ? CI_ADAPT_UNSURE : 0;
}

static int says(const struct ci_line *line, enum ci_rule_id rule)
{
    return line->adapt == (unsigned char)rule;
}

static const struct rp_check *unadapted_of(const struct ci_line *line)
{
    return line->unadapted;
}

static int judge_step(struct ci_judge *judge)
{
    const struct ci_step_failure *failure = &judge->now->unadapted.failure;
    const int unsure = failure->ours || judge->now->base.failure.step != CI_STEP_NONE;
    return ci_add_cause(judge, unsure ? CI_ADAPT_UNSURE : CI_ADAPT_BUILD, failure->interface_name,
                        failure->message);
}

int ci_judge_unadapted(struct ci_judge *judge)
{
    int status = HN_OK;
    if (!judge->now->unadapted.given)
        return judge->change->reference_file ? ci_add_cause(judge, CI_ADAPT_REFERENCE, NULL, NULL)
                                             : HN_OK;
    if (judge->now->unadapted.failure.step != CI_STEP_NONE)
        return judge_step(judge);
    for (size_t i = 0; i < judge->policy->check_count; i++) {
        struct ci_line *line = &judge->lines[i];
        line->adapt = adapt_of(judge, line);
        judge->target->counts.of[CI_COUNT_ADAPTATION] += line->adapt == CI_ADAPT_CHECKS;
    }
    status = ci_add_check_causes(judge, CI_ADAPT_CHECKS, says, unadapted_of);
    return status ? status : ci_add_check_causes(judge, CI_ADAPT_UNSURE, says, unadapted_of);
}
