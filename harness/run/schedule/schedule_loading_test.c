/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests a schedule whose target does not load: one task tries again, and the others are blocked.
 */
#include "readiness.h"
#include "unit_test.h"

static struct hn_run_input input;
static struct hn_schedule schedule;

static enum hn_readiness ask(size_t task)
{
    struct hn_outcome outcome = {HN_PASS, ""};
    size_t cause;
    return hn_schedule_readiness(&schedule, task, &outcome, &cause);
}

/* A native "should", a native "must" and a Python "must", all without dependencies. */
static const struct hn_task loading_tasks[] = {
    {.check = &(const struct hn_check){.id = "should", .expect_status = -1, .level = HN_SHOULD}},
    {.check = &(const struct hn_check){.id = "must", .expect_status = -1, .level = HN_MUST}},
    {.check =
         &(const struct hn_check){
             .id = "python", .expect_status = -1, .level = HN_MUST, .kind = HN_PYTHON}},
};
enum { SOFT, HARD, OTHER_HOST, LOADING_TASKS };

static void begin_loading(void)
{
    static const char *const native[] = {"host", NULL};
    input = (struct hn_run_input){.tasks = loading_tasks, .task_count = LOADING_TASKS};
    input.programs.native = native;
    ck_assert_int_eq(hn_schedule_init(&schedule, &input, 0), HN_OK);
}

static void run_one(size_t task)
{
    size_t taken[1];
    ck_assert_uint_eq(hn_schedule_take(&schedule, -1, 0, 1, taken), 1);
    ck_assert_uint_eq(taken[0], task);
}

TEST(load_failed_is_tried_again_by_the_strictest_and_then_blocks_its_kind)
{
    struct hn_outcome outcome;
    size_t cause;
    begin_loading();
    run_one(SOFT);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, SOFT, 0), 1);
    hn_schedule_again(&schedule, SOFT, 0);
    ck_assert_int_eq(ask(SOFT), HN_NOT_YET);
    run_one(HARD);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, HARD, 0), 0);
    ck_assert_int_eq(hn_schedule_refused(&schedule, HARD), 1);
    hn_schedule_done(&schedule, HARD, HN_CRASH);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), SOFT);
    ck_assert_int_eq(outcome.verdict, HN_BLOCKED);
    ck_assert_uint_eq(cause, HARD);
    hn_schedule_done(&schedule, SOFT, HN_BLOCKED);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
    run_one(OTHER_HOST); /* the other kind of host may be able to load it */
    hn_schedule_finish(&schedule);
}

TEST(load_failed_once_blocks_nothing_when_the_second_try_loads)
{
    begin_loading();
    run_one(SOFT);
    run_one(HARD);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, HARD, 0), 1);
    hn_schedule_again(&schedule, HARD, 0);
    hn_schedule_loaded(&schedule, SOFT);
    ck_assert_int_eq(ask(HARD), HN_READY);
    run_one(HARD);
    /* the verdict of the task itself */
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, HARD, 0), 0);
    ck_assert_int_eq(hn_schedule_refused(&schedule, HARD), 0);
    hn_schedule_finish(&schedule);
}

TEST(load_failed_for_certain_needs_one_try_for_both_kinds)
{
    struct hn_outcome outcome;
    size_t cause;
    begin_loading();
    run_one(SOFT);
    run_one(HARD);
    /* a check of the strictest level reports it */
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, SOFT, 1), 1);
    hn_schedule_again(&schedule, SOFT, 0);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, HARD, 1), 0);
    hn_schedule_done(&schedule, HARD, HN_BROKEN);
    for (size_t i = 0; i < 2; i++) {
        const size_t task = hn_schedule_settle(&schedule, &outcome, &cause);
        ck_assert_uint_eq(task, i ? OTHER_HOST : SOFT);
        ck_assert_uint_eq(cause, HARD);
        hn_schedule_done(&schedule, task, outcome.verdict);
    }
    ck_assert_uint_eq(schedule.done, LOADING_TASKS);
    hn_schedule_finish(&schedule);
}

TEST(load_failed_with_no_block_lets_every_check_speak)
{
    begin_loading();
    input.options.no_block = 1;
    run_one(SOFT);
    run_one(HARD);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, HARD, 0), 1);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, SOFT, 0), 1);
    hn_schedule_again(&schedule, HARD, 0);
    run_one(HARD);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, HARD, 0), 0);
    ck_assert_int_eq(hn_schedule_load_failed(&schedule, SOFT, 0), 0);
    ck_assert_int_eq(hn_schedule_refused(&schedule, SOFT), 0);
    hn_schedule_finish(&schedule);
}
