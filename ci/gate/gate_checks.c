/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Applies the rules about single checks. Finds each check of the contract in every run; the pair of
 * its verdicts selects a row of the table. Called by gate_decide.c if the runs can be compared.
 */
#include <string.h>

#include "gate_internal.h"

enum hn_verdict ci_verdict_of(const struct rp_check *check)
{
    /* A check is also undecided if the check that blocks it is undecided. */
    if (check->verdict == HN_BLOCKED && check->root &&
        hn_verdict_table[check->root->verdict].gate == HN_GATE_UNDECIDED)
        return check->root->verdict;
    return check->verdict;
}

/* Runs are in the order of the contract, so the next check is usually the next element. */
static const struct rp_check *find(const struct rp_run *run, size_t *next, const char *id)
{
    if (!run)
        return NULL;
    if (*next < run->check_count && strcmp(run->checks[*next].id, id) == 0)
        return &run->checks[(*next)++];
    const struct rp_check *found = rp_run_check(run, id);
    if (found)
        *next = (size_t)(found - run->checks) + 1;
    return found;
}

static size_t look_up(struct ci_judge *judge)
{
    const struct ci_case *now = judge->now;
    size_t head = 0, base = 0, unadapted = 0, known = 0;
    for (size_t i = 0; i < judge->policy->check_count; i++) {
        const char *id = judge->policy->checks[i].id;
        struct ci_line *line = &judge->lines[i];
        *line = (struct ci_line){.head = find(now->head.run, &head, id),
                                 .base = find(now->base.run, &base, id),
                                 .unadapted = find(now->unadapted.run, &unadapted, id)};
        known += line->head != NULL;
    }
    return known;
}

static int base_of(const struct ci_judge *judge, const struct ci_line *line)
{
    if (!judge->now->base.given)
        return CI_NO_BASE;
    return line->base ? (int)line->base->verdict : CI_NOT_IN_BASE;
}

/* If a check ended before it reached a clause, the clause counts as blocked. */
static enum hn_verdict clause_verdict(enum hn_verdict verdict)
{
    return verdict == HN_NOTRUN ? HN_BLOCKED : verdict;
}

/* A check that fails on head and base, or is excused, may violate one more clause on head. If both
 * runs have verdicts on its clauses, the most severe rule of the check and its clauses applies. */
static enum ci_rule_id rule_of_clauses(struct ci_line *line, enum ci_rule_id rule)
{
    if (!line->base->clause_count || ci_verdict_of(line->head) != line->head->verdict)
        return rule;
    for (size_t i = 0; i < line->head->clause_count; i++) {
        const struct hn_clause_verdict *clause = &line->head->clauses[i];
        const enum hn_verdict base = rp_clause_verdict(line->base, clause->id);
        const enum ci_rule_id own =
            ci_rule_of_pair(clause_verdict(clause->verdict), (int)clause_verdict(base));
        if (ci_rules[own].decides <= ci_rules[rule].decides)
            continue;
        rule = own;
        line->clause = clause->id;
    }
    return rule;
}

static enum ci_rule_id rule_of(const struct ci_judge *judge, const struct ci_line *line)
{
    const enum hn_verdict head = ci_verdict_of(line->head);
    const int fails = hn_verdict_table[head].fails;
    if (line->entry && line->entry->verdict == HN_FLAKY) {
        if (head == HN_FLAKY)
            return CI_LISTED_FLAKY;
        if (fails)
            return CI_FLAKY_FAILED;
    } else if (line->entry && fails && ci_expectation_matches(line->entry, line->head)) {
        return CI_EXPECTED;
    }
    return ci_rule_of_pair(head, base_of(judge, line));
}

static int has_rule(const struct ci_line *line, enum ci_rule_id rule)
{
    return line->head && line->rule == rule;
}

static const struct rp_check *head_of(const struct ci_line *line)
{
    return line->head;
}

/* Applies to checks of every level: the expectation concerns the whole run, not a single check. */
static int add_missing(struct ci_judge *judge)
{
    const size_t count = judge->policy->check_count, at = judge->cause_count;
    const char **ids = hn_arena_array(judge->arena, count + 1, sizeof *ids);
    size_t missing = 0;
    if (!ids)
        return hn_error_nomem(judge->error);
    for (size_t i = 0; i < count; i++)
        if (judge->lines[i].rule == CI_FEWER_CHECKS)
            ids[missing++] = judge->policy->checks[i].id;
    if (!missing)
        return HN_OK;
    const int status = ci_add_cause(judge, CI_FEWER_CHECKS, NULL,
                                    hn_arena_text(judge->arena, "%zu %s missing, the first is %s.",
                                                  missing, missing == 1 ? "is" : "are", ids[0]));
    if (!status) {
        judge->causes[at].checks = ids;
        judge->causes[at].check_count = missing;
    }
    return status;
}

static int add_unknown(struct ci_judge *judge, size_t unknown)
{
    if (!unknown)
        return HN_OK;
    return ci_add_cause(
        judge, CI_UNKNOWN_CHECKS, NULL,
        hn_arena_text(judge->arena, "There %s %zu.", unknown == 1 ? "is" : "are", unknown));
}

/* Does nothing for an interrupted run, for which there is another rule. */
static int add_silence(struct ci_judge *judge)
{
    const struct rp_run *head = judge->now->head.run;
    struct hn_silence silence = {0};
    for (size_t i = 0; i < judge->policy->check_count; i++)
        if (judge->lines[i].head && judge->policy->checks[i].level == HN_MUST)
            hn_silence_add(&silence, judge->lines[i].head->verdict,
                           judge->lines[i].head->is_explained);
    if (!head->complete || !hn_silence_prevails(&silence))
        return HN_OK;
    return ci_add_cause(
        judge, CI_HEAD_SILENT, NULL,
        hn_arena_text(judge->arena, "They are %zu of %zu.", silence.mute, silence.musts));
}

static void count(struct ci_judge *judge, const struct ci_line *line)
{
    const enum ci_counter counter = ci_rules[line->rule].counter;
    judge->target->counts.of[CI_COUNT_CHECKS]++;
    if (counter < CI_COUNTERS)
        judge->target->counts.of[counter]++;
}

/* Returns 1 if head must contain the check. A check that does not apply to head's torch was not
 * planned. But head may report a wrong version of torch, so head must also contain each check that
 * base ran. */
static int is_promised(const struct ci_judge *judge, size_t i)
{
    const struct ci_promise *check = &judge->policy->checks[i];
    return check->promised &&
           (judge->lines[i].base ||
            hn_torch_range_has(check->torch, judge->now->head.run->torch_version));
}

int ci_judge_checks(struct ci_judge *judge)
{
    const size_t known = look_up(judge);
    unsigned char seen[CI_RULES] = {0};
    int status = ci_judge_expectations(judge);
    for (size_t i = 0; i < judge->policy->check_count; i++) {
        struct ci_line *line = &judge->lines[i];
        line->rule = line->head              ? rule_of(judge, line)
                     : is_promised(judge, i) ? CI_FEWER_CHECKS
                                             : CI_GOOD;
        if (line->head && line->base)
            line->rule = rule_of_clauses(line, line->rule);
        seen[line->rule] = 1;
        if (line->head)
            count(judge, line);
    }
    if (!status)
        status = add_missing(judge);
    if (!status)
        status = add_unknown(judge, judge->now->head.run->check_count - known);
    if (!status)
        status = add_silence(judge);
    for (int rule = CI_COULD_NOT_DECIDE; !status && rule <= CI_FLAKY_FAILED; rule++)
        if (seen[rule] && !ci_rules[rule].silent)
            status = ci_add_check_causes(judge, (enum ci_rule_id)rule, has_rule, head_of);
    return status;
}
