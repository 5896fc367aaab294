/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See schedule.h. Stores the order and the phase of each task; readiness.c decides which task may
 * run.
 */
#include "schedule.h"

#include <stdlib.h>

#include "assay/check.h"
#include "hash.h"
#include "hub.h"
#include "readiness.h"

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

/* Returns 1 if the task may share its process in batch mode. */
static int is_sociable(const struct hn_schedule *schedule, size_t index)
{
    const struct hn_task *task = &schedule->input->tasks[index];
    const struct hn_check *check = task->check;
    return !check->fresh && !check->normal_exit && !check->expect_signal &&
           check->expect_status < 0 && !task->warm_up && !task->armed &&
           !schedule->states[index].alone;
}

/* Compares the deadlines, because all checks in a shared process have the same deadline. */
static int has_limit_of(const struct hn_schedule *schedule, size_t one, size_t other)
{
    const struct hn_run_input *input = schedule->input;
    return hn_task_limit_ms(&input->tasks[one], &input->target) ==
           hn_task_limit_ms(&input->tasks[other], &input->target);
}

/* A check that was too slow beside other checks runs alone. A check that needs several exclusive
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

/* Returns the strictest task that can run. If the target does not load, this task reports the
 * failure for all tasks. */
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

/* ---- loading, on which every check builds */

void hn_schedule_loaded(struct hn_schedule *schedule, size_t task)
{
    struct hn_loading *loading = &schedule->loading[hn_schedule_is_python(schedule, task)];
    loading->loaded = 1;
    loading->suspect = HN_NONE;
}

int hn_schedule_refused(const struct hn_schedule *schedule, size_t task)
{
    return schedule->loading[hn_schedule_is_python(schedule, task)].refused == task;
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

/* ---- the next task */

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

/* Tasks before `first` are settled or running, so they need not be scanned again. */
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

static void note_enough(struct hn_schedule *schedule, size_t task, enum hn_verdict verdict)
{
    const size_t kind = schedule->input->tasks[task].suffices;
    if (!kind || !hn_verdict_table[verdict].fails || schedule->states[kind - 1].enough)
        return;
    schedule->states[kind - 1].enough = task + 1;
    schedule->unsettled = 1;
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
    /* A good verdict can decide tasks too, if they also wait for a check that failed earlier. */
    schedule->spoiled |= !hn_verdict_table[verdict].good;
    const int blocks = schedule->spoiled && !schedule->input->options.no_block;
    schedule->unsettled |= blocks || hn_schedule_is_proof(schedule, task);
    note_enough(schedule, task, verdict);
}

void hn_schedule_again(struct hn_schedule *schedule, size_t task, int alone)
{
    struct hn_task_state *state = &schedule->states[task];
    state->phase = HN_TASK_WAITING;
    state->alone = state->alone || alone;
    end(schedule);
    schedule->first = 0;
    schedule->unsettled = 1; /* a new verdict may decide this task */
}
