/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See readiness.h. A task waits for the checks that it builds on, and for the probe or refusal
 * check of each capability that it needs. If a check that it builds on does not hold, the task is
 * blocked. If a capability is refused cleanly, the task is skipped.
 */
#include "readiness.h"

#include <stdio.h>

#include "hub.h"

static int is_done(const struct hn_schedule *schedule, size_t task)
{
    return schedule->states[task].phase == HN_TASK_DONE;
}

static enum hn_verdict verdict_of(const struct hn_schedule *schedule, size_t task)
{
    return (enum hn_verdict)schedule->states[task].verdict;
}

static int is_good(const struct hn_schedule *schedule, size_t task)
{
    return hn_verdict_table[verdict_of(schedule, task)].good;
}

/* ---- capabilities ---- */

/* A capability is proven in steps: its claim, then its probe, then its refusal check. */
enum proof { PROOF_YES, PROOF_NO, PROOF_PENDING, PROOF_FAILED };

static enum proof prove_refusal(const struct hn_schedule *schedule,
                                const struct hn_capability *capability, size_t *by)
{
    *by = capability->refusal;
    if (capability->refusal == HN_NONE)
        return PROOF_NO;
    if (!is_done(schedule, capability->refusal))
        return PROOF_PENDING;
    switch (verdict_of(schedule, capability->refusal)) {
    case HN_PASS:
    case HN_FLAKY:
    case HN_SKIP: /* a check that it builds on was skipped, so there is nothing to refuse */
        return PROOF_NO;
    case HN_NOTED: /* the capability works, in spite of the claim */
        return PROOF_YES;
    default:
        return PROOF_FAILED;
    }
}

static enum proof prove(const struct hn_schedule *schedule, size_t index, size_t *by)
{
    const struct hn_capability *capability = &schedule->input->capabilities[index];
    *by = capability->probe;
    if (capability->claim == HN_CLAIM_YES)
        return PROOF_YES;
    if (capability->claim == HN_CLAIM_NO)
        return prove_refusal(schedule, capability, by);
    if (capability->probe == HN_NONE)
        return PROOF_YES; /* no other evidence exists: run the checks of the capability */
    if (!is_done(schedule, capability->probe))
        return PROOF_PENDING;
    /* If the probe failed or follows from a failure, the capability is unknown: its checks run. */
    if (is_good(schedule, capability->probe) || hn_hub_is(schedule, capability->probe))
        return PROOF_YES;
    /* The verdict of the probe alone decides: only a skip is a clean refusal. */
    if (verdict_of(schedule, capability->probe) != HN_SKIP)
        return PROOF_FAILED;
    const enum proof proof = prove_refusal(schedule, capability, by);
    if (proof == PROOF_FAILED && hn_hub_is(schedule, capability->refusal))
        return PROOF_YES;
    if (*by == HN_NONE)
        *by = capability->probe;
    return proof;
}

/* Returns 1 for the probe and the refusal check, which must not wait for themselves. */
static int is_its_own_proof(const struct hn_capability *capability, size_t task)
{
    return capability->probe == task || capability->refusal == task;
}

static enum hn_readiness need_capability(const struct hn_schedule *schedule, size_t task,
                                         size_t index, struct hn_outcome *outcome, size_t *cause)
{
    const struct hn_capability *capability = &schedule->input->capabilities[index];
    size_t by;
    if (is_its_own_proof(capability, task))
        return HN_READY;
    const enum proof proof = prove(schedule, index, &by);
    if (proof == PROOF_YES || (proof == PROOF_FAILED && schedule->input->options.no_block))
        return HN_READY;
    if (proof == PROOF_PENDING)
        return HN_NOT_YET;
    const char *id = by == HN_NONE ? "what the target says" : schedule->input->tasks[by].check->id;
    outcome->verdict = proof == PROOF_NO ? HN_SKIP : HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason,
             proof == PROOF_NO ? "lacks %s, proven by %s" : "%s is unproven: see %s",
             capability->name, id);
    *cause = by;
    return HN_DECIDED;
}

/* ---- readiness ---- */

/* If the check is the probe of a capability, returns the state of its proof; else PROOF_FAILED. */
static enum proof proof_by(const struct hn_schedule *schedule, size_t probe)
{
    size_t by;
    for (size_t i = 0; i < schedule->input->capability_count; i++)
        if (schedule->input->capabilities[i].probe == probe)
            return prove(schedule, i, &by);
    return PROOF_FAILED;
}

/* Returns 1 if the skip of `ground` is explained by a missing capability, which is no defect. The
 * tasks that build on `ground` are then skipped. A skip that no capability explains proves nothing,
 * and the tasks that build on it are blocked. */
static int is_explained(const struct hn_schedule *schedule, size_t ground, enum proof proof)
{
    return verdict_of(schedule, ground) == HN_SKIP &&
           (proof == PROOF_NO || schedule->input->tasks[ground].capabilities.count > 0);
}

static enum hn_readiness stand_on(const struct hn_schedule *schedule, size_t ground,
                                  struct hn_outcome *outcome, size_t *cause)
{
    if (!is_done(schedule, ground))
        return HN_NOT_YET;
    if (is_good(schedule, ground) || hn_hub_is(schedule, ground))
        return HN_READY;
    const enum proof proof = proof_by(schedule, ground);
    if (proof == PROOF_PENDING)
        return HN_NOT_YET;
    outcome->verdict = is_explained(schedule, ground, proof) ? HN_SKIP : HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason, "builds on %s, which has the verdict %s",
             schedule->input->tasks[ground].check->id,
             hn_verdict_table[verdict_of(schedule, ground)].name);
    *cause = ground;
    return HN_DECIDED;
}

/* After HN_HUB_HUNG_MOST checks above a hub have hung, the other checks above this hub are not
 * run. */
static enum hn_readiness stand_under_hubs(const struct hn_schedule *schedule, size_t task,
                                          struct hn_outcome *outcome, size_t *cause)
{
    const size_t hub = schedule->spoiled ? hn_hub_that_hangs(schedule, task) : HN_NONE;
    if (hub == HN_NONE)
        return HN_READY;
    outcome->verdict = HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason,
             "builds on %s, which failed, and %d other checks that build on it hung",
             schedule->input->tasks[hub].check->id, HN_HUB_HUNG_MOST);
    *cause = hub;
    return HN_DECIDED;
}

/* ---- groups of tasks: after one failure, the rest of the group is not run */

static enum hn_readiness stand_beside(const struct hn_schedule *schedule,
                                      const struct hn_task *task, struct hn_outcome *outcome,
                                      size_t *cause)
{
    const size_t failed = task->suffices ? schedule->states[task->suffices - 1].enough : 0;
    if (!failed)
        return HN_READY;
    *cause = failed - 1;
    outcome->verdict = HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason,
             "%s failed, and one failure of the group is enough",
             schedule->input->tasks[*cause].check->id);
    return HN_DECIDED;
}

/* ---- loading, on which every check builds */

static const struct hn_loading *loading_of(const struct hn_schedule *schedule, size_t task)
{
    return &schedule->loading[hn_schedule_is_python(schedule, task)];
}

static enum hn_readiness stand_on_loading(const struct hn_schedule *schedule, size_t task,
                                          struct hn_outcome *outcome, size_t *cause)
{
    const struct hn_loading *loading = loading_of(schedule, task);
    if (loading->suspect != HN_NONE && loading->suspect != task)
        return HN_NOT_YET;
    if (loading->refused == HN_NONE || schedule->input->options.no_block)
        return HN_READY;
    outcome->verdict = HN_BLOCKED;
    *cause = loading->refused;
    snprintf(outcome->reason, sizeof outcome->reason, "the target cannot be loaded: see %s",
             schedule->input->tasks[*cause].check->id);
    return HN_DECIDED;
}

enum hn_readiness hn_schedule_readiness(const struct hn_schedule *schedule, size_t index,
                                        struct hn_outcome *outcome, size_t *cause)
{
    const struct hn_task *task = &schedule->input->tasks[index];
    enum hn_readiness all;
    *cause = HN_NONE;
    all = stand_beside(schedule, task, outcome, cause);
    if (all == HN_READY)
        all = stand_on_loading(schedule, index, outcome, cause);
    if (all != HN_READY)
        return all;
    for (size_t i = 0; i < task->capabilities.count; i++) {
        const enum hn_readiness one =
            need_capability(schedule, index, task->capabilities.items[i], outcome, cause);
        if (one == HN_DECIDED)
            return one;
        all = one == HN_NOT_YET ? one : all;
    }
    for (size_t i = 0; !schedule->input->options.no_block && i < task->builds_on.count; i++) {
        const enum hn_readiness one = stand_on(schedule, task->builds_on.items[i], outcome, cause);
        if (one == HN_NOT_YET)
            /* wait for earlier checks, so that the reported cause does not depend on timing */
            return one;
        if (one == HN_DECIDED && all == HN_READY)
            return one;
    }
    if (all != HN_READY || schedule->input->options.no_block)
        return all;
    for (size_t i = 0; i < task->fails_with.count; i++)
        if (!is_done(schedule, task->fails_with.items[i]))
            return HN_NOT_YET;
    return stand_under_hubs(schedule, index, outcome, cause);
}

int hn_schedule_is_python(const struct hn_schedule *schedule, size_t task)
{
    const struct hn_programs *programs = &schedule->input->programs;
    return schedule->input->tasks[task].check->kind == HN_PYTHON || !programs->native;
}

int hn_schedule_is_proof(const struct hn_schedule *schedule, size_t task)
{
    for (size_t i = 0; i < schedule->input->capability_count; i++)
        if (is_its_own_proof(&schedule->input->capabilities[i], task))
            return 1;
    return 0;
}
