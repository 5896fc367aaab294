/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See hub.h.
 */
#include "hub.h"

#include "cause_words.h"

/* ---- which check builds on which */

int hn_hub_is(const struct hn_schedule *schedule, size_t task)
{
    const struct hn_task_state *state = &schedule->states[task];
    return state->phase == HN_TASK_DONE && (state->verdict == HN_FAIL || state->hub != HN_NONE);
}

/* A predicate that is applied to each hub below `task`. */
typedef int (*question)(const struct hn_schedule *schedule, size_t hub, size_t task);

/* Returns 1 in three cases: the contract entry of `one` names the other check under fails_with;
 * both checks have a common subject; or neither has a subject and both are in one module. */
static int share_a_cause(const struct hn_check *one, const struct hn_check *other)
{
    for (size_t i = 0; i < one->fails_with_own; i++)
        if (one->fails_with[i] == other)
            return 1;
    if (one->about.count == 0 && other->about.count == 0)
        return one->module == other->module;
    for (size_t i = 0; i < one->about.count; i++)
        if (hn_texts_contain(&other->about, one->about.items[i]))
            return 1;
    return 0;
}

static int failed_the_same_way(const struct hn_schedule *schedule, size_t hub, size_t task)
{
    const struct hn_task *tasks = schedule->input->tasks;
    const uint64_t way = schedule->states[task].way;
    return schedule->states[hub].way == way &&
           (way != HN_CAUSE_NONE || share_a_cause(tasks[task].check, tasks[hub].check));
}

static int hangs(const struct hn_schedule *schedule, size_t hub, size_t task)
{
    (void)task;
    return schedule->states[hub].hung >= HN_HUB_HUNG_MOST;
}

static size_t find_below(const struct hn_schedule *schedule, size_t below, size_t task,
                         question is_it);

static size_t find_in(const struct hn_schedule *schedule, const struct hn_indices *grounds,
                      size_t task, question is_it)
{
    size_t found = HN_NONE;
    for (size_t i = 0; found == HN_NONE && i < grounds->count; i++) {
        const size_t ground = grounds->items[i];
        if (hn_hub_is(schedule, ground) && schedule->states[ground].hub == HN_NONE &&
            is_it(schedule, ground, task))
            return ground;
        found = find_below(schedule, ground, task, is_it);
    }
    return found;
}

/* Searches the probes of the task's capabilities, and the checks below these probes. A check that
 * needs a capability builds on the capability's probe, and the probe builds on no check that needs
 * the capability. */
static size_t find_in_probes(const struct hn_schedule *schedule, const struct hn_task *one,
                             size_t below, size_t task, question is_it)
{
    size_t found = HN_NONE;
    for (size_t i = 0; found == HN_NONE && i < one->capabilities.count; i++) {
        const size_t probe = schedule->input->capabilities[one->capabilities.items[i]].probe;
        if (probe != HN_NONE && probe != below)
            found = find_in(schedule, &(struct hn_indices){&probe, 1}, task, is_it);
    }
    return found;
}

static size_t find_below(const struct hn_schedule *schedule, size_t below, size_t task,
                         question is_it)
{
    const struct hn_task *one = &schedule->input->tasks[below];
    const size_t found = find_in(schedule, &one->builds_on, task, is_it);
    if (found != HN_NONE || is_it == hangs)
        return found; /* hangs do not follow `fails_with` */
    const size_t beside = find_in(schedule, &one->fails_with, task, is_it);
    return beside != HN_NONE ? beside : find_in_probes(schedule, one, below, task, is_it);
}

size_t hn_hub_of(const struct hn_schedule *schedule, size_t task)
{
    return find_below(schedule, task, task, failed_the_same_way);
}

size_t hn_hub_that_hangs(const struct hn_schedule *schedule, size_t task)
{
    return find_below(schedule, task, task, hangs);
}

/* Counts the hang of the task once for each check that the task builds on. */
static void tell_hung(struct hn_schedule *schedule, size_t below, size_t task)
{
    const struct hn_task *one = &schedule->input->tasks[below];
    for (size_t i = 0; i < one->builds_on.count; i++) {
        struct hn_task_state *const ground = &schedule->states[one->builds_on.items[i]];
        if (ground->told == task)
            continue;
        ground->told = task;
        ground->hung = (unsigned char)(ground->hung + (ground->hung < HN_HUB_HUNG_MOST));
        tell_hung(schedule, one->builds_on.items[i], task);
    }
}

void hn_hub_hung(struct hn_schedule *schedule, size_t task)
{
    tell_hung(schedule, task, task);
}
