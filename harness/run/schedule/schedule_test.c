/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests order, blocking and capabilities. The test supplies the verdicts.
 */
#include "readiness.h"

#include <stdio.h>
#include <string.h>

#include "assay/status.h"
#include "unit_test.h"

/* 0: probe, 1: refusal check, 2: needs the capability, 3: plain, 4: builds on 3, 5: builds on 4 */
static const size_t on_3[] = {3}, on_4[] = {4}, needs_0[] = {0};
static const struct hn_task tasks[] = {
    {.check = &(const struct hn_check){.id = "probe", .expect_status = -1},
     .capabilities = {needs_0, 1}},
    {.check = &(const struct hn_check){.id = "refusal", .expect_status = -1}},
    {.check = &(const struct hn_check){.id = "uses", .expect_status = -1},
     .capabilities = {needs_0, 1}},
    {.check = &(const struct hn_check){.id = "plain", .expect_status = -1}},
    {.check = &(const struct hn_check){.id = "on", .expect_status = -1}, .builds_on = {on_3, 1}},
    {.check = &(const struct hn_check){.id = "on on", .expect_status = -1}, .builds_on = {on_4, 1}},
};
enum { PROBE, REFUSAL, USES, PLAIN, ON, ON_ON, TASKS };

static struct hn_capability capability;
static struct hn_run_input input;
static struct hn_schedule schedule;

/* Begins a run of tasks that differ from the tasks above. */
static void begin_with(int32_t claim, const struct hn_task *list, size_t count)
{
    capability = (struct hn_capability){"streams", claim, "", PROBE, REFUSAL};
    input.tasks = list;
    input.task_count = count;
    input.capabilities = &capability;
    input.capability_count = 1;
    ck_assert_int_eq(hn_schedule_init(&schedule, &input, 0), HN_OK);
}

static void begin(int32_t claim)
{
    begin_with(claim, tasks, TASKS);
}

/* The tasks that a host takes now, such as "probe, uses". */
static const char *take(int in_batch, size_t most)
{
    static char names[100];
    size_t taken[TASKS];
    const size_t count = hn_schedule_take(&schedule, -1, in_batch, most, taken);
    names[0] = '\0';
    for (size_t i = 0; i < count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 input.tasks[taken[i]].check->id);
    return names;
}

static void finish(void)
{
    hn_schedule_finish(&schedule);
}

static enum hn_readiness ask(size_t task, enum hn_verdict *verdict)
{
    struct hn_outcome outcome = {HN_PASS, ""};
    size_t cause;
    const enum hn_readiness readiness = hn_schedule_readiness(&schedule, task, &outcome, &cause);
    if (verdict)
        *verdict = outcome.verdict;
    return readiness;
}

TEST_FIXTURE(NULL, finish);

static const struct {
    int32_t claim;
    int probe, refusal; /* verdicts; -1: not known yet */
    enum hn_readiness readiness;
    enum hn_verdict verdict; /* expected verdict if the task is decided */
} proofs[] = {
    {HN_CLAIM_YES, -1, -1, HN_READY, HN_PASS},
    /* the claim is yes, so its checks run and fail */
    {HN_CLAIM_YES, HN_FAIL, -1, HN_READY, HN_PASS},
    {HN_CLAIM_NO, -1, -1, HN_NOT_YET, HN_PASS},
    {HN_CLAIM_NO, -1, HN_PASS, HN_DECIDED, HN_SKIP},
    {HN_CLAIM_NO, -1, HN_FAIL, HN_DECIDED, HN_BLOCKED},
    {HN_CLAIM_NO, -1, HN_CRASH, HN_DECIDED, HN_BLOCKED},
    {HN_CLAIM_NO, -1, HN_NOTED, HN_READY, HN_PASS}, /* it works in spite of the claim */
    {HN_CLAIM_UNKNOWN, -1, -1, HN_NOT_YET, HN_PASS},
    {HN_CLAIM_UNKNOWN, HN_PASS, -1, HN_READY, HN_PASS},
    {HN_CLAIM_UNKNOWN, HN_SKIP, -1, HN_NOT_YET, HN_PASS},
    {HN_CLAIM_UNKNOWN, HN_SKIP, HN_PASS, HN_DECIDED, HN_SKIP},
    {HN_CLAIM_UNKNOWN, HN_SKIP, HN_SKIP, HN_DECIDED, HN_SKIP},
    {HN_CLAIM_UNKNOWN, HN_SKIP, HN_FAIL, HN_READY, HN_PASS},
    {HN_CLAIM_UNKNOWN, HN_SKIP, HN_CRASH, HN_DECIDED, HN_BLOCKED},
    {HN_CLAIM_UNKNOWN, HN_FAIL, -1, HN_READY, HN_PASS}, /* run the checks of the capability */
    {HN_CLAIM_UNKNOWN, HN_CRASH, -1, HN_DECIDED, HN_BLOCKED},
};

TEST_EACH(readiness_of_a_check_that_needs_a_capability_follows_its_proof, proofs)
{
    enum hn_verdict verdict;
    begin(proofs[_i].claim);
    if (proofs[_i].probe >= 0)
        hn_schedule_done(&schedule, PROBE, (enum hn_verdict)proofs[_i].probe);
    if (proofs[_i].refusal >= 0)
        hn_schedule_done(&schedule, REFUSAL, (enum hn_verdict)proofs[_i].refusal);
    ck_assert_int_eq(ask(PROBE, NULL), HN_READY);
    ck_assert_int_eq(ask(USES, &verdict), proofs[_i].readiness);
    ck_assert_int_eq(verdict, proofs[_i].verdict);
}

TEST(settle_after_a_failure_blocks_nothing)
{
    struct hn_outcome outcome;
    size_t cause;
    begin(HN_CLAIM_YES);
    hn_schedule_done(&schedule, PLAIN, HN_FAIL);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
    ck_assert_int_eq(ask(ON, NULL), HN_READY);
}

static const enum hn_verdict say_nothing_of_others[] = {HN_CRASH, HN_TIMEOUT, HN_BROKEN, HN_BLOCKED,
                                                        HN_NOTRUN};

TEST_EACH(settle_after_what_says_nothing_of_others_blocks_the_whole_chain, say_nothing_of_others)
{
    struct hn_outcome outcome;
    size_t cause, task;
    begin(HN_CLAIM_YES);
    hn_schedule_done(&schedule, PLAIN, say_nothing_of_others[_i]);
    task = hn_schedule_settle(&schedule, &outcome, &cause);
    ck_assert_uint_eq(task, ON);
    ck_assert_uint_eq(cause, PLAIN);
    ck_assert_int_eq(outcome.verdict, HN_BLOCKED);
    hn_schedule_done(&schedule, task, outcome.verdict);
    task = hn_schedule_settle(&schedule, &outcome, &cause);
    ck_assert_uint_eq(task, ON_ON);
    ck_assert_uint_eq(cause, ON);
    hn_schedule_done(&schedule, task, outcome.verdict);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
}

static const struct {
    size_t capabilities; /* capabilities that the task needs */
    enum hn_verdict verdict;
} skipped_grounds[] = {{0, HN_BLOCKED}, {1, HN_SKIP}};

TEST_EACH(settle_after_a_skip_skips_only_what_a_capability_explains, skipped_grounds)
{
    struct hn_task pair[] = {tasks[PLAIN], tasks[ON]};
    static const size_t on_first[] = {0};
    struct hn_outcome outcome;
    size_t cause;
    pair[0].capabilities = (struct hn_indices){needs_0, skipped_grounds[_i].capabilities};
    pair[1].builds_on.items = on_first;
    begin_with(HN_CLAIM_YES, pair, 2);
    hn_schedule_done(&schedule, 0, HN_SKIP);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), 1);
    ck_assert_int_eq(outcome.verdict, skipped_grounds[_i].verdict);
}

static const struct {
    enum hn_verdict refusal, verdict;
} refusals[] = {{HN_PASS, HN_SKIP}, {HN_FAIL, HN_BLOCKED}};

TEST_TIMES(settle_after_a_skipped_probe_waits_for_the_refusal, 2)
{
    struct hn_task trio[] = {tasks[PROBE], tasks[REFUSAL], tasks[ON]};
    static const size_t on_probe[] = {PROBE};
    struct hn_outcome outcome;
    size_t cause;
    trio[0].capabilities.count = 0;
    trio[2].builds_on.items = on_probe;
    begin_with(HN_CLAIM_UNKNOWN, trio, 3);
    hn_schedule_done(&schedule, PROBE, HN_SKIP);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
    hn_schedule_done(&schedule, REFUSAL, refusals[_i].refusal);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), 2);
    ck_assert_int_eq(outcome.verdict, refusals[_i].verdict);
}

TEST(settle_of_two_grounds_comes_with_the_later_one)
{
    static const size_t on_both[] = {1, 0};
    struct hn_task three[] = {
        {.check = &(const struct hn_check){.id = "bad", .expect_status = -1}},
        {.check = &(const struct hn_check){.id = "good", .expect_status = -1}},
        {.check = &(const struct hn_check){.id = "on both", .expect_status = -1}}};
    struct hn_outcome outcome;
    size_t cause;
    three[2].builds_on = (struct hn_indices){on_both, 2};
    begin_with(HN_CLAIM_YES, three, 3);
    hn_schedule_done(&schedule, 0, HN_CRASH);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
    hn_schedule_done(&schedule, 1, HN_PASS);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), 2);
    ck_assert_int_eq(outcome.verdict, HN_BLOCKED);
    ck_assert_uint_eq(cause, 0);
}

TEST(settle_with_no_block_blocks_nothing)
{
    struct hn_outcome outcome;
    size_t cause;
    begin(HN_CLAIM_YES);
    input.options.no_block = 1;
    hn_schedule_done(&schedule, PLAIN, HN_CRASH);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
    ck_assert_int_eq(ask(ON_ON, NULL), HN_READY);
}

TEST(readiness_with_no_block_needs_no_good_probe_but_skips_what_is_refused)
{
    begin(HN_CLAIM_UNKNOWN);
    input.options.no_block = 1;
    hn_schedule_done(&schedule, PROBE, HN_FAIL);
    ck_assert_int_eq(ask(USES, NULL), HN_READY);
    hn_schedule_finish(&schedule);
    begin(HN_CLAIM_UNKNOWN);
    input.options.no_block = 1;
    hn_schedule_done(&schedule, PROBE, HN_SKIP);
    hn_schedule_done(&schedule, REFUSAL, HN_PASS);
    ck_assert_int_eq(ask(USES, NULL), HN_DECIDED);
}

TEST(take_in_batch_gives_all_that_are_ready_and_no_more)
{
    begin(HN_CLAIM_YES);
    ck_assert_str_eq(take(1, TASKS), "probe, refusal, uses, plain");
    ck_assert_str_eq(take(1, TASKS), "");
    hn_schedule_done(&schedule, PLAIN, HN_PASS);
    ck_assert_str_eq(take(1, TASKS), "on");
}

TEST(take_in_batch_gives_those_of_one_deadline)
{
    struct hn_task mine[TASKS];
    const struct hn_check slow_probe = {.id = "probe", .expect_status = -1, .timeout = 600},
                          slow_plain = {.id = "plain", .expect_status = -1, .timeout = 600};
    memcpy(mine, tasks, sizeof mine);
    mine[PROBE].check = &slow_probe;
    mine[PLAIN].check = &slow_plain;
    begin_with(HN_CLAIM_YES, mine, TASKS);
    ck_assert_str_eq(take(1, TASKS), "probe, plain");
    ck_assert_str_eq(take(1, TASKS), "refusal, uses");
}

TEST(take_after_again_alone_gives_it_without_company)
{
    begin(HN_CLAIM_YES);
    take(1, TASKS);
    hn_schedule_again(&schedule, PROBE, 1);
    hn_schedule_again(&schedule, REFUSAL, 0);
    ck_assert_str_eq(take(1, TASKS), "probe");
}

TEST(take_of_a_late_one_waits_for_the_others_and_lets_none_begin)
{
    begin(HN_CLAIM_YES);
    ck_assert_str_eq(take(0, 1), "probe");
    schedule.states[PROBE].late = 1;
    hn_schedule_again(&schedule, PROBE, 1);
    schedule.states[PROBE].phase = HN_TASK_DONE; /* removed from the queue for a moment */
    ck_assert_str_eq(take(0, 1), "refusal");
    schedule.states[PROBE].phase = HN_TASK_WAITING;
    schedule.first = 0;
    /* not the late task, because the refusal check is running */
    ck_assert_str_eq(take(0, 1), "uses");
    hn_schedule_done(&schedule, REFUSAL, HN_PASS);
    hn_schedule_done(&schedule, USES, HN_PASS);
    ck_assert_str_eq(take(0, 1), "probe");
    ck_assert_str_eq(take(0, 1), "");
    hn_schedule_done(&schedule, PROBE, HN_SLOW);
    ck_assert_str_eq(take(0, 1), "plain");
}

TEST(take_of_exclusive_devices_gives_those_who_need_two_all)
{
    const struct hn_check two = {.id = "two", .devices = 2, .expect_status = -1};
    const struct hn_task three[] = {tasks[PLAIN], {.check = &two}, tasks[PLAIN]};
    input.target.exclusive = 1;
    begin_with(HN_CLAIM_YES, three, 3);
    ck_assert_str_eq(take(1, 3), "plain, plain");
    ck_assert_str_eq(take(1, 3), "");
    hn_schedule_done(&schedule, 0, HN_PASS);
    hn_schedule_done(&schedule, 2, HN_PASS);
    ck_assert_str_eq(take(1, 3), "two");
}

TEST_TIMES(init_with_a_shuffle_keeps_every_task_once, 20)
{
    unsigned seen = 0;
    begin(HN_CLAIM_YES);
    hn_schedule_finish(&schedule);
    ck_assert_int_eq(hn_schedule_init(&schedule, &input, (uint64_t)_i + 1), HN_OK);
    for (size_t i = 0; i < TASKS; i++)
        seen |= 1u << schedule.order[i];
    ck_assert_uint_eq(seen, (1u << TASKS) - 1);
}

/* Two kinds with two tasks each, under switches, and one independent task. */
static const struct hn_task kinds[] = {
    {.check = &(const struct hn_check){.id = "first", .expect_status = -1}, .suffices = 1},
    {.check = &(const struct hn_check){.id = "of another kind", .expect_status = -1},
     .suffices = 2},
    {.check = &(const struct hn_check){.id = "second", .expect_status = -1}, .suffices = 1},
    {.check = &(const struct hn_check){.id = "also of it", .expect_status = -1}, .suffices = 2},
    {.check = &(const struct hn_check){.id = "alone", .expect_status = -1}},
};

TEST_TIMES(readiness_after_a_failure_that_suffices_decides_only_the_rest_of_its_kind, 3)
{
    static const unsigned char fails[] = {HN_FAIL, HN_CRASH, HN_TIMEOUT};
    struct hn_outcome outcome;
    size_t cause;
    input.options.no_block = 1;
    begin_with(HN_CLAIM_YES, kinds, 5);
    hn_schedule_done(&schedule, 1, HN_BLOCKED);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
    hn_schedule_done(&schedule, 0, (enum hn_verdict)fails[_i]);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), 2);
    ck_assert_uint_eq(outcome.verdict, HN_BLOCKED);
    ck_assert_uint_eq(cause, 0);
    hn_schedule_done(&schedule, 2, outcome.verdict);
    ck_assert_uint_eq(hn_schedule_settle(&schedule, &outcome, &cause), HN_NONE);
}
