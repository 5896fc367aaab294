/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of a run. A task waits for the checks it builds on, and for the probe or refusal
 * check of the capabilities it needs. If a check that it builds on does not hold, the task is
 * blocked. If a capability is refused cleanly, it is skipped. See schedule.h.
 */
#include "schedule.h"

#include <stdio.h>
#include <stdlib.h>

#include "assay/check.h"
#include "hash.h"
#include "hub.h"

int hn_schedule_init(struct hn_schedule *schedule, const struct hn_run_input *input,
                     uint64_t shuffle)
{
    const size_t count = input->task_count;
    static const struct hn_loading untried = {0, HN_NONE, HN_NONE};
    *schedule = (struct hn_schedule){.input = input, .unsettled = 1, .loading = {untried, untried}};
    schedule->states = calloc(count + 1, sizeof *schedule->states);
    schedule->order = calloc(count + 1, sizeof *schedule->order);
    if (!schedule->states || !schedule->order) {
        hn_schedule_finish(schedule);
        return HN_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        schedule->order[i] = i;
        schedule->states[i].told = schedule->states[i].hub = HN_NONE;
    }
    for (size_t i = count; shuffle && i > 1; i--) {
        const size_t other = (size_t)(hn_hash_mix(shuffle) % i);
        const size_t moved = schedule->order[other];
        schedule->order[other] = schedule->order[i - 1];
        schedule->order[i - 1] = moved;
        shuffle += HN_HASH_STEP;
    }
    return HN_OK;
}

void hn_schedule_finish(struct hn_schedule *schedule)
{
    for (size_t i = 0; schedule->states && i < schedule->input->task_count; i++)
        free(schedule->states[i].first);
    free(schedule->states);
    free(schedule->order);
    *schedule = (struct hn_schedule){0};
}

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
    case HN_SKIP: /* a check it builds on lacks something: there is nothing to refuse */
        return PROOF_NO;
    case HN_NOTED: /* the check saw that the feature works, in spite of the claim */
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
    /* A probe that failed, or that follows from a failure, is no evidence about the other
     * checks: each of them runs. */
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

/* The probe and the refusal check of a capability must not wait for themselves. */
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

/* State of the proof of the capability that a check is the probe of; PROOF_FAILED for any other
 * check. */
static enum proof proof_by(const struct hn_schedule *schedule, size_t probe)
{
    size_t by;
    for (size_t i = 0; i < schedule->input->capability_count; i++)
        if (schedule->input->capabilities[i].probe == probe)
            return prove(schedule, i, &by);
    return PROOF_FAILED;
}

/* Returns 1 if the skip of `ground` is explained by a missing capability, which is no defect:
 * the tasks that build on it are skipped. A skip that no capability explains proves nothing, and
 * the tasks that build on it are blocked. */
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
    snprintf(outcome->reason, sizeof outcome->reason, "builds on %s, which came out as %s",
             schedule->input->tasks[ground].check->id,
             hn_verdict_table[verdict_of(schedule, ground)].name);
    *cause = ground;
    return HN_DECIDED;
}

/* After HN_HUB_HUNG_MOST checks above a failed hub have hung, the others are not run. */
static enum hn_readiness stand_under_hubs(const struct hn_schedule *schedule, size_t task,
                                          struct hn_outcome *outcome, size_t *cause)
{
    const size_t hub = schedule->spoiled ? hn_hub_that_hangs(schedule, task) : HN_NONE;
    if (hub == HN_NONE)
        return HN_READY;
    outcome->verdict = HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason,
             "builds on %s, which failed, and %d others that do never came to their end",
             schedule->input->tasks[hub].check->id, HN_HUB_HUNG_MOST);
    *cause = hub;
    return HN_DECIDED;
}

/* ---- kinds of which one failure is enough */

static enum hn_readiness stand_beside(const struct hn_schedule *schedule,
                                      const struct hn_task *task, struct hn_outcome *outcome,
                                      size_t *cause)
{
    const size_t failed = task->suffices ? schedule->states[task->suffices - 1].enough : 0;
    if (!failed)
        return HN_READY;
    *cause = failed - 1;
    outcome->verdict = HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason, "%s failed, and one is enough",
             schedule->input->tasks[*cause].check->id);
    return HN_DECIDED;
}

static void note_enough(struct hn_schedule *schedule, size_t task, enum hn_verdict verdict)
{
    const size_t kind = schedule->input->tasks[task].suffices;
    if (!kind || !hn_verdict_table[verdict].fails || schedule->states[kind - 1].enough)
        return;
    schedule->states[kind - 1].enough = task + 1;
    schedule->unsettled = 1;
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

void hn_schedule_loaded(struct hn_schedule *schedule, size_t task)
{
    struct hn_loading *loading = &schedule->loading[hn_schedule_is_python(schedule, task)];
    loading->loaded = 1;
    loading->suspect = HN_NONE;
}

int hn_schedule_refused(const struct hn_schedule *schedule, size_t task)
{
    return loading_of(schedule, task)->refused == task;
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
            /* the first one that does not hold is reported, so that the cause does not depend on
             * timing */
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

/* The task may share its process in batch mode. */
static int is_sociable(const struct hn_schedule *schedule, size_t index)
{
    const struct hn_task *task = &schedule->input->tasks[index];
    const struct hn_check *check = task->check;
    return !check->fresh && !check->normal_exit && !check->expect_signal &&
           check->expect_status < 0 && !task->warm_up && !task->armed &&
           !schedule->states[index].alone;
}

/* A shared process has one deadline that applies to each of its checks. */
static int has_limit_of(const struct hn_schedule *schedule, size_t one, size_t other)
{
    const struct hn_run_input *input = schedule->input;
    return hn_task_limit_ms(&input->tasks[one], &input->target) ==
           hn_task_limit_ms(&input->tasks[other], &input->target);
}

/* A check that was too slow beside others runs alone. A check that needs several exclusive
 * devices gets all of them. */
static int wants_all(const struct hn_schedule *schedule, size_t task)
{
    const struct hn_run_input *input = schedule->input;
    return schedule->states[task].late ||
           (input->target.exclusive && input->tasks[task].check->devices > 1);
}

static int must_wait(const struct hn_schedule *schedule, size_t task)
{
    return schedule->taken || (schedule->running > 0 && wants_all(schedule, task));
}

static int fits(const struct hn_schedule *schedule, size_t task, int python)
{
    struct hn_outcome outcome;
    size_t cause;
    return !must_wait(schedule, task) && schedule->states[task].phase == HN_TASK_WAITING &&
           (python < 0 || hn_schedule_is_python(schedule, task) == python) &&
           hn_schedule_readiness(schedule, task, &outcome, &cause) == HN_READY;
}

/* A lower number is stricter. Tasks whose verdict another shard owns come last. */
static int strictness(const struct hn_schedule *schedule, size_t task)
{
    const struct hn_task *one = &schedule->input->tasks[task];
    return (int)one->check->level + (one->support ? HN_LEVELS : 0);
}

static int is_running(const struct hn_schedule *schedule, size_t task, int python)
{
    return schedule->states[task].phase == HN_TASK_RUNNING &&
           hn_schedule_is_python(schedule, task) == python;
}

/* The verdict that stands for all others must have the strictest level that any of them could
 * have. */
static size_t strictest_that_can_run(const struct hn_schedule *schedule, size_t task)
{
    const int python = hn_schedule_is_python(schedule, task);
    size_t best = task;
    for (size_t i = 0; i < schedule->input->task_count; i++)
        if (strictness(schedule, i) < strictness(schedule, best) &&
            (is_running(schedule, i, python) || fits(schedule, i, python)))
            best = i;
    return best;
}

static void refuse(struct hn_loading *loading, size_t task)
{
    if (loading->loaded || loading->refused != HN_NONE)
        return;
    loading->refused = task;
    loading->suspect = HN_NONE;
}

int hn_schedule_load_failed(struct hn_schedule *schedule, size_t task, int certain)
{
    const int python = hn_schedule_is_python(schedule, task);
    struct hn_loading *loading = &schedule->loading[python];
    if (loading->loaded)
        return 0;
    if (loading->refused != HN_NONE)
        return !schedule->input->options.no_block;
    const int first = loading->suspect == HN_NONE;
    if (first)
        loading->suspect = strictest_that_can_run(schedule, task);
    if (loading->suspect != task || (first && !certain))
        return 1;
    refuse(loading, task);
    if (certain)
        refuse(&schedule->loading[!python], task);
    schedule->unsettled = 1;
    return 0;
}

static void begin(struct hn_schedule *schedule, size_t task)
{
    schedule->states[task].phase = HN_TASK_RUNNING;
    schedule->running++;
    schedule->taken = wants_all(schedule, task);
}

static void end(struct hn_schedule *schedule)
{
    schedule->running--;
    schedule->taken = 0;
}

/* Tasks before `first` are settled or running, so a long run is not scanned from its start each
 * time. */
static void advance(struct hn_schedule *schedule)
{
    while (schedule->first < schedule->input->task_count &&
           schedule->states[schedule->order[schedule->first]].phase != HN_TASK_WAITING)
        schedule->first++;
}

int hn_schedule_peek(struct hn_schedule *schedule, int python, size_t *task)
{
    advance(schedule);
    for (size_t i = schedule->first; i < schedule->input->task_count; i++)
        if (fits(schedule, schedule->order[i], python)) {
            *task = schedule->order[i];
            return 1;
        }
    return 0;
}

size_t hn_schedule_waiting(const struct hn_schedule *schedule, int python)
{
    size_t count = 0;
    for (size_t i = 0; i < schedule->input->task_count; i++)
        count += schedule->states[i].phase == HN_TASK_WAITING &&
                 hn_schedule_is_python(schedule, i) == python;
    return count;
}

size_t hn_schedule_take(struct hn_schedule *schedule, int python, int batch, size_t room,
                        size_t *tasks)
{
    size_t count = 0;
    advance(schedule);
    for (size_t i = schedule->first; i < schedule->input->task_count && count < room; i++) {
        const size_t task = schedule->order[i];
        if (!fits(schedule, task, python))
            continue;
        const int sociable = batch && is_sociable(schedule, task);
        if (count > 0 && (!sociable || !has_limit_of(schedule, task, tasks[0])))
            continue;
        tasks[count++] = task;
        begin(schedule, task);
        python = hn_schedule_is_python(schedule, task);
        if (!sociable)
            break;
    }
    return count;
}

size_t hn_schedule_settle(struct hn_schedule *schedule, struct hn_outcome *outcome, size_t *cause)
{
    advance(schedule);
    for (size_t i = schedule->first; schedule->unsettled && i < schedule->input->task_count; i++) {
        const size_t task = schedule->order[i];
        if (schedule->states[task].phase == HN_TASK_WAITING &&
            hn_schedule_readiness(schedule, task, outcome, cause) == HN_DECIDED)
            return task;
    }
    schedule->unsettled = 0;
    return HN_NONE;
}

static int is_proof(const struct hn_schedule *schedule, size_t task)
{
    for (size_t i = 0; i < schedule->input->capability_count; i++)
        if (is_its_own_proof(&schedule->input->capabilities[i], task))
            return 1;
    return 0;
}

void hn_schedule_done(struct hn_schedule *schedule, size_t task, enum hn_verdict verdict)
{
    struct hn_task_state *state = &schedule->states[task];
    if (state->phase == HN_TASK_RUNNING)
        end(schedule);
    state->phase = HN_TASK_DONE;
    state->verdict = (unsigned char)verdict;
    schedule->done++;
    if (verdict == HN_TIMEOUT)
        hn_hub_hung(schedule, task);
    /* Also after a good verdict: a task may have waited for it and for a check that failed
     * before. */
    schedule->spoiled |= !hn_verdict_table[verdict].good;
    const int blocks = schedule->spoiled && !schedule->input->options.no_block;
    schedule->unsettled |= blocks || is_proof(schedule, task);
    note_enough(schedule, task, verdict);
}

void hn_schedule_again(struct hn_schedule *schedule, size_t task, int alone)
{
    struct hn_task_state *state = &schedule->states[task];
    state->phase = HN_TASK_WAITING;
    state->alone = state->alone || alone;
    end(schedule);
    schedule->first = 0;
    schedule->unsettled = 1; /* a verdict that arrived meanwhile may decide it */
}
