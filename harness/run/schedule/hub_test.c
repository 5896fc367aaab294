/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests failures that follow from another check, and failures that are independent.
 */
#include "cause_words.h"
#include "hub.h"
#include "readiness.h"
#include "unit_test.h"

/* Task 1 builds on 0, 2 on 1, and 3 to 6 on 1 and 0. */
static const size_t on_0[] = {0}, on_1[] = {1}, on_both[] = {1, 0};
static const struct hn_check checks[] = {{.id = "hub"}, {.id = "on"}, {.id = "on on"}, {.id = "a"},
                                         {.id = "b"},   {.id = "c"},  {.id = "d"}};
enum { HUB, ON, ON_ON, A, B, C, D, TASKS };
static struct hn_task tasks[TASKS];
static struct hn_run_input input;
static struct hn_schedule schedule;

static void begin(void)
{
    for (size_t i = 0; i < TASKS; i++)
        tasks[i] = (struct hn_task){.check = &checks[i], .builds_on = {on_both, 2}};
    tasks[HUB].builds_on.count = 0;
    tasks[ON] = (struct hn_task){.check = &checks[ON], .builds_on = {on_0, 1}};
    tasks[ON_ON] = (struct hn_task){.check = &checks[ON_ON], .builds_on = {on_1, 1}};
    input = (struct hn_run_input){.tasks = tasks, .task_count = TASKS};
    ck_assert_int_eq(hn_schedule_init(&schedule, &input, 0), HN_OK);
}

/* The task failed with this message; returns the hub that it follows from. */
static size_t failed(size_t task, const char *seen)
{
    struct hn_task_state *state = &schedule.states[task];
    state->way = hn_cause_of(seen);
    state->hub = hn_hub_of(&schedule, task);
    hn_schedule_done(&schedule, task, state->hub == HN_NONE ? HN_FAIL : HN_BLOCKED);
    return state->hub;
}

static const char *const about_set[] = {"guard.setDevice"}, *const about_both[] = {
                                                                "a", "guard.setDevice"};

/* Wrong values: the subjects of hub and check, and 1 if the check follows from the hub. */
static const struct {
    struct hn_texts hub, other;
    size_t follows;
} subjects[] = {
    {{about_set, 1}, {about_both, 2}, 0 /* HUB */},
    {{about_set, 1}, {about_both, 1}, HN_NONE},
    {{about_set, 0}, {about_set, 0}, 0 /* HUB */},
    {{about_set, 0}, {about_set, 1}, HN_NONE},
};

TEST_EACH(hub_of_a_wrong_value_is_about_the_same, subjects)
{
    begin();
    const struct hn_check hub = {.id = "hub", .about = subjects[_i].hub},
                          other = {.id = "other", .about = subjects[_i].other};
    tasks[HUB].check = &hub;
    tasks[ON].check = &other;
    ck_assert_uint_eq(failed(HUB, "got 3"), HN_NONE);
    ck_assert_uint_eq(failed(ON, "is none"), subjects[_i].follows);
    hn_schedule_finish(&schedule);
}

TEST(hub_of_a_wrong_value_may_be_named_by_the_entry)
{
    begin();
    const struct hn_check hub = {.id = "hub", .about = {about_set, 1}}, *named = &hub;
    const struct hn_check follower = {.id = "a", .fails_with = &named, .fails_with_own = 1};
    tasks[HUB].check = &hub;
    tasks[A] = (struct hn_task){.check = &follower, .fails_with = {on_0, 1}};
    tasks[B] = (struct hn_task){.check = &checks[B], .fails_with = {on_0, 1}};
    failed(HUB, "got 3");
    ck_assert_uint_eq(failed(A, "got 4"), HUB);
    ck_assert_uint_eq(failed(B, "got 4"),
                      HN_NONE); /* a registration, which the entry does not name */
    hn_schedule_finish(&schedule);
}

TEST(hub_of_what_needs_a_capability_is_its_probe)
{
    begin();
    struct hn_capability rng = {.probe = HUB, .refusal = HN_NONE};
    input.capabilities = &rng;
    input.capability_count = 1;
    tasks[D] = (struct hn_task){.check = &checks[D], .capabilities = {on_0, 1}};
    ck_assert_uint_eq(failed(HUB, "RuntimeError: no generator"), HN_NONE);
    ck_assert_uint_eq(failed(D, "RuntimeError: no generator"), HUB);
    hn_schedule_finish(&schedule);
}

TEST(hub_of_the_same_failure_is_the_first_one_of_the_chain)
{
    begin();
    ck_assert_uint_eq(failed(HUB, "RuntimeError: no"), HN_NONE);
    ck_assert_uint_eq(failed(ON, "RuntimeError: no"), HUB);
    ck_assert_int_eq(hn_hub_is(&schedule, ON), 1);
    ck_assert_uint_eq(failed(ON_ON, "RuntimeError: no"), HUB);
    hn_schedule_finish(&schedule);
}

TEST(hub_of_another_failure_is_itself_and_others_follow_from_it)
{
    begin();
    failed(HUB, "RuntimeError: no");
    ck_assert_uint_eq(failed(ON, "RuntimeError: other"), HN_NONE);
    ck_assert_uint_eq(failed(ON_ON, "RuntimeError: other"), ON);
    ck_assert_uint_eq(failed(A, "RuntimeError: no"), HUB);
    ck_assert_uint_eq(failed(B, "RuntimeError: third"), HN_NONE);
    hn_schedule_finish(&schedule);
}

TEST(hub_that_it_only_fails_with_is_waited_for_and_blocks_nothing)
{
    struct hn_outcome outcome;
    size_t cause;
    begin();
    tasks[A] = (struct hn_task){.check = &checks[A], .fails_with = {on_0, 1}};
    tasks[B] = tasks[A];
    ck_assert_int_eq(hn_schedule_readiness(&schedule, A, &outcome, &cause), HN_NOT_YET);
    failed(HUB, "RuntimeError: no");
    ck_assert_int_eq(hn_schedule_readiness(&schedule, A, &outcome, &cause), HN_READY);
    ck_assert_uint_eq(failed(A, "RuntimeError: no"), HUB);
    ck_assert_uint_eq(failed(B, "RuntimeError: other"), HN_NONE);
    schedule.states[HUB].verdict = HN_CRASH;
    ck_assert_int_eq(hn_schedule_readiness(&schedule, A, &outcome, &cause), HN_READY);
    hn_schedule_finish(&schedule);
}

TEST(hub_that_passed_is_none)
{
    begin();
    schedule.states[HUB].way = hn_cause_of("RuntimeError: no");
    hn_schedule_done(&schedule, HUB, HN_PASS);
    ck_assert_int_eq(hn_hub_is(&schedule, HUB), 0);
    ck_assert_uint_eq(failed(ON, "RuntimeError: no"), HN_NONE);
    hn_schedule_finish(&schedule);
}

TEST(three_that_hang_under_a_hub_block_the_rest)
{
    struct hn_outcome outcome;
    size_t cause;
    begin();
    failed(HUB, "RuntimeError: no");
    hn_schedule_done(&schedule, ON, HN_PASS);
    hn_schedule_done(&schedule, A, HN_TIMEOUT);
    hn_schedule_done(&schedule, B, HN_TIMEOUT);
    ck_assert_int_eq(hn_schedule_readiness(&schedule, D, &outcome, &cause), HN_READY);
    hn_schedule_done(&schedule, C, HN_TIMEOUT);
    ck_assert_int_eq(hn_schedule_readiness(&schedule, D, &outcome, &cause), HN_DECIDED);
    ck_assert_int_eq(outcome.verdict, HN_BLOCKED);
    ck_assert_uint_eq(cause, HUB);
    ck_assert_str_eq(outcome.reason,
                     "builds on hub, which failed, and 3 other checks that build on it hung");
    hn_schedule_finish(&schedule);
}

TEST(three_that_hang_on_what_passed_block_nothing)
{
    struct hn_outcome outcome;
    size_t cause;
    begin();
    hn_schedule_done(&schedule, HUB, HN_PASS);
    hn_schedule_done(&schedule, ON, HN_PASS);
    for (size_t task = A; task <= C; task++)
        hn_schedule_done(&schedule, task, HN_TIMEOUT);
    ck_assert_int_eq(hn_schedule_readiness(&schedule, D, &outcome, &cause), HN_READY);
    hn_schedule_finish(&schedule);
}
