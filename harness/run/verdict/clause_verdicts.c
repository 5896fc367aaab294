/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See clause_verdicts.h.
 */
#include "clause_verdicts.h"

#include <string.h>

#include "assay/check.h"

/* Returns NULL if the check never reached the clause. `number` counts from 1. */
static const struct hn_found_clause *find_said(const struct hn_found *found, const char *id,
                                               size_t *number)
{
    for (*number = 1; *number <= found->clause_count; ++*number)
        if (strcmp(found->clauses[*number - 1].id, id) == 0)
            return &found->clauses[*number - 1];
    return NULL;
}

/* Returns the verdict by the findings of the clause. Findings without a clause count for all
 * clauses. */
static enum hn_verdict own_word(const struct hn_found_clause *said, const struct hn_found *found)
{
    const enum hn_verdict of_all = hn_outcome_of_finding(found->worst_of_all);
    if (said)
        return hn_verdict_worse(hn_outcome_of_finding(said->worst), of_all);
    return found->worst_of_all ? of_all : HN_NOTRUN;
}

/* Returns 1 if `verdict` replaced the verdict `own` of the check's findings, as BLOCKED replaces
 * FAIL. Clauses with findings of this kind get the replacement too. */
static int is_told_of(enum hn_verdict own, enum hn_verdict verdict)
{
    return (own == HN_FAIL && (verdict == HN_BLOCKED || verdict == HN_NOTED)) ||
           ((own == HN_PASS || own == HN_NOTED) && (verdict == HN_SLOW || verdict == HN_FLAKY));
}

static int is_death(enum hn_verdict verdict)
{
    return verdict == HN_CRASH || verdict == HN_TIMEOUT;
}

/* Returns 1 if the verdict also applies to clauses that the check never reached. */
static int is_of_all(enum hn_verdict verdict)
{
    return is_death(verdict) || verdict == HN_SKIP || verdict == HN_BLOCKED ||
           verdict == HN_UNOBSERVABLE;
}

static enum hn_verdict decide(const struct hn_found *found, const char *id, enum hn_verdict verdict)
{
    size_t number;
    const enum hn_verdict of_check = hn_outcome_of_finding(found->worst);
    const struct hn_found_clause *said = find_said(found, id, &number);
    const enum hn_verdict own = own_word(said, found);
    /* applies only to the clause that was running; earlier clauses have their own verdicts */
    if (is_death(verdict))
        return !said || !found->clause || found->clause == number ? verdict : own;
    if (verdict != of_check && !is_told_of(of_check, verdict))
        return verdict;
    if (!said && own == HN_NOTRUN)
        return is_of_all(verdict) ? verdict : HN_NOTRUN;
    return is_told_of(own, verdict) ? verdict : own;
}

size_t hn_clauses_decide(const struct hn_check *check, int advises, const struct hn_found *found,
                         enum hn_verdict verdict, struct hn_clause_verdict *clauses)
{
    const size_t count = check->clause_count;
    if (count < 2 || count > HN_CLAUSES_MOST || check->together || found->clause_count == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct hn_clause *clause = &check->clauses[i];
        clauses[i] = (struct hn_clause_verdict){clause->id, decide(found, clause->id, verdict)};
        if (advises && clause->level == HN_ADVISORY && clauses[i].verdict == HN_FAIL)
            clauses[i].verdict = HN_NOTED;
    }
    return count;
}

/* Returns 1 if only advisory clauses failed. */
static int is_advice(const struct hn_check *check, const struct hn_found *found)
{
    size_t failing = 0;
    if (check->level == HN_ADVISORY)
        return 1;
    if (found->worst_of_all == ASSAY_FINDING_FAIL || check->together)
        return 0;
    for (size_t i = 0; i < check->clause_count; i++) {
        size_t number;
        const struct hn_found_clause *said = find_said(found, check->clauses[i].id, &number);
        if (!said || said->worst != ASSAY_FINDING_FAIL)
            continue;
        if (check->clauses[i].level != HN_ADVISORY)
            return 0;
        failing++;
    }
    return failing > 0;
}

void hn_clauses_advise(const struct hn_check *check, const struct hn_found *found,
                       struct hn_outcome *outcome)
{
    if (outcome->verdict == HN_FAIL && is_advice(check, found))
        outcome->verdict = HN_NOTED;
}
