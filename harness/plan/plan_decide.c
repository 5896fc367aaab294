/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Does a job run? A pure function of the plan and the outcomes so far: the requirement graph
 * (blocked), the proof of capabilities (skip) and what the device lets one see (unobservable).
 * Called by the runner before each job, and by merge.
 */
#include <stdio.h>
#include <string.h>

#include "plan.h"

static int is_good(int verdict)
{
    return verdict != HN_NO_VERDICT && hn_verdict_table[verdict].good;
}

static int verdict_of(const struct hn_outcome *outcomes, int32_t job)
{
    return job < 0 ? HN_NO_VERDICT : outcomes[job].verdict;
}

enum hn_claim hn_plan_capability_state(const struct hn_plan *plan, size_t capability,
                                       const struct hn_outcome *outcomes)
{
    const struct hn_plan_capability *entry = &plan->capabilities[capability];

    if (entry->claim == HN_CLAIM_YES || is_good(verdict_of(outcomes, entry->probe)))
        return HN_CLAIM_YES;
    if (entry->claim == HN_CLAIM_NO && entry->refusal < 0)
        return HN_CLAIM_NO;
    return is_good(verdict_of(outcomes, entry->refusal)) ? HN_CLAIM_NO : HN_CLAIM_UNKNOWN;
}

/* One candidate: a verdict for the job, with the sentence that explains it. */
static int conclude(struct hn_decision *decision, enum hn_verdict verdict, int32_t cause)
{
    decision->action = HN_ACTION_VERDICT;
    decision->verdict = verdict;
    decision->cause = cause;
    return 1;
}

/* The root of a chain of blocked and skipped jobs. */
static int32_t root_of(const struct hn_facts *facts, int32_t job)
{
    const int verdict = facts->outcomes[job].verdict;
    const int32_t cause = facts->outcomes[job].cause;

    return (verdict == HN_BLOCKED || verdict == HN_SKIP) && cause >= 0 ? cause : job;
}

static int decide_waiting(const struct hn_job *job, const struct hn_facts *facts,
                          struct hn_decision *decision)
{
    for (size_t i = 0; i < job->after.count; i++) {
        if (facts->outcomes[job->after.items[i]].verdict == HN_NO_VERDICT) {
            decision->action = HN_ACTION_WAIT;
            return 1;
        }
    }
    return 0;
}

/* What the target cannot show: no fault of the backend. */
static int decide_observable(const struct hn_job *job, const struct hn_facts *facts,
                             struct hn_decision *decision)
{
    const unsigned missing = job->needs & ~facts->offers;

    for (int bit = 0; bit < HN_NEEDS_COUNT; bit++) {
        if (!(missing & 1u << bit))
            continue;
        snprintf(decision->reason, sizeof decision->reason,
                 "needs a device with \"%s\", which only an adapter can offer",
                 hn_needs_names[bit]);
        return conclude(decision, HN_UNOBSERVABLE, -1);
    }
    return 0;
}

static int decide_devices(const struct hn_job *job, const struct hn_facts *facts,
                          struct hn_decision *decision)
{
    if (job->devices <= facts->devices)
        return 0;
    snprintf(decision->reason, sizeof decision->reason, "needs %d devices; the target has %d",
             job->devices, facts->devices);
    return conclude(decision, HN_SKIP, -1);
}

/* A refusal has nothing to show where the capability is there; a probe nothing where it is refused.
 */
static int decide_probe_or_refusal(const struct hn_plan *plan, const struct hn_job *job,
                                   const struct hn_facts *facts, struct hn_decision *decision)
{
    const int32_t capability = job->refusal_of >= 0 ? job->refusal_of : job->probe_of;

    if (capability < 0)
        return 0;
    const struct hn_plan_capability *entry = &plan->capabilities[capability];
    const enum hn_claim state = hn_plan_capability_state(plan, (size_t)capability, facts->outcomes);
    if (job->refusal_of >= 0 && state == HN_CLAIM_YES) {
        snprintf(decision->reason, sizeof decision->reason,
                 "the backend has %s, so there is nothing to refuse", entry->name);
        return conclude(decision, HN_UNOBSERVABLE, -1);
    }
    if (job->probe_of >= 0 && entry->claim == HN_CLAIM_NO && state == HN_CLAIM_NO) {
        snprintf(decision->reason, sizeof decision->reason, "the %s says: no %s", entry->source,
                 entry->name);
        return conclude(decision, HN_SKIP, entry->refusal);
    }
    return 0;
}

/* A capability that is neither there nor cleanly refused. */
static int decide_unproven(const struct hn_plan *plan, const struct hn_plan_capability *entry,
                           struct hn_decision *decision)
{
    const int32_t cause = entry->refusal >= 0 ? entry->refusal : entry->probe;

    if (cause < 0) /* no probe and no refusal in the contract: the check itself finds out */
        return 0;
    snprintf(decision->reason, sizeof decision->reason,
             "%s is neither there nor cleanly refused: see %s", entry->name, plan->jobs[cause].id);
    return conclude(decision, HN_BLOCKED, cause);
}

static int decide_capabilities(const struct hn_plan *plan, const struct hn_job *job,
                               const struct hn_facts *facts, struct hn_decision *decision)
{
    for (size_t i = 0; i < job->capabilities.count; i++) {
        const uint32_t capability = job->capabilities.items[i];
        const struct hn_plan_capability *entry = &plan->capabilities[capability];
        const enum hn_claim state = hn_plan_capability_state(plan, capability, facts->outcomes);
        if (state == HN_CLAIM_UNKNOWN && decide_unproven(plan, entry, decision))
            return 1;
        if (state != HN_CLAIM_NO)
            continue;
        if (entry->refusal >= 0)
            snprintf(decision->reason, sizeof decision->reason, "no %s, shown by %s", entry->name,
                     plan->jobs[entry->refusal].id);
        else
            snprintf(decision->reason, sizeof decision->reason,
                     "the %s says: no %s (the contract has no check of that)", entry->source,
                     entry->name);
        return conclude(decision, HN_SKIP, entry->refusal);
    }
    return 0;
}

static int decide_foundations(const struct hn_plan *plan, const struct hn_job *job,
                              const struct hn_facts *facts, struct hn_decision *decision)
{
    for (size_t i = 0; i < job->builds_on.count; i++) {
        const int32_t below = (int32_t)job->builds_on.items[i];
        const int verdict = facts->outcomes[below].verdict;
        if (is_good(verdict))
            continue;
        const int32_t root = root_of(facts, below);
        snprintf(decision->reason, sizeof decision->reason, "builds on %s: %s", plan->jobs[root].id,
                 hn_verdict_table[facts->outcomes[root].verdict].name);
        return conclude(decision, verdict == HN_SKIP ? HN_SKIP : HN_BLOCKED, root);
    }
    return 0;
}

/* The order says which reason a person reads first: what the target lacks, then what is broken. */
void hn_plan_decide(const struct hn_plan *plan, size_t job, const struct hn_facts *facts,
                    struct hn_decision *decision)
{
    const struct hn_job *asked = &plan->jobs[job];

    *decision = (struct hn_decision){.action = HN_ACTION_RUN, .cause = -1};
    if (decide_waiting(asked, facts, decision) || decide_devices(asked, facts, decision) ||
        decide_probe_or_refusal(plan, asked, facts, decision) ||
        decide_capabilities(plan, asked, facts, decision) ||
        decide_observable(asked, facts, decision) || facts->no_block)
        return;
    decide_foundations(plan, asked, facts, decision);
}
