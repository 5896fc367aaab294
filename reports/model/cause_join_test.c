/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that requirements get the verdicts of single clauses, and that failures with the same
 * message are joined.
 */
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "run_diff.h"
#include "run_model.h"
#include "test_folder.h"
#include "unit_test.h"

static const char plan[] = "{\"schema\": \"assay/plan/1\", \"contract\": 1, \"jobs\": ["
                           "{\"id\": \"a.one\", \"covers\": [\"A-1\", \"A-2\", \"A-3\"]},"
                           "{\"id\": \"b.two\", \"covers\": [\"B-1\"]},"
                           "{\"id\": \"b.three\", \"covers\": [\"A-1\"]},"
                           "{\"id\": \"c.four\", \"covers\": [\"C-1\"]}], \"requirements\": ["
                           "{\"id\": \"A-1\"}, {\"id\": \"A-2\"}, {\"id\": \"A-3\"}, {\"id\": "
                           "\"B-1\"}, {\"id\": \"C-1\"}]}";

static const struct hn_planned planned[] = {{"a.one", HN_MUST, 0, ""},
                                            {"b.two", HN_MUST, 0, ""},
                                            {"b.three", HN_MUST, 0, ""},
                                            {"c.four", HN_MUST, 0, ""}};
static const struct hn_clause_verdict said[] = {
    {"A-1", HN_PASS}, {"A-2", HN_FAIL}, {"A-3", HN_NOTRUN}};

#define END(name, ...)                                                                             \
    {                                                                                              \
        .event = HN_EVENT_END, .end = {.id = (name), .attempt = 1, .final = 1, __VA_ARGS__ }       \
    }

/* a.one violates one clause of three; b.two has the same message; c.four has a wrong value and no
 * exception. */
static const struct hn_record records[] = {
    {.event = HN_EVENT_RUN,
     .run = {.date = "2026-11-21T10:00:00Z", .seed = "1", .checks = planned, .check_count = 4}},
    END("a.one", .verdict = HN_FAIL, .seen = "RuntimeError: queue 3 is gone", .clauses = said,
        .clause_count = 3),
    END("b.two", .verdict = HN_FAIL, .seen = "raised RuntimeError: queue 17 is gone"),
    END("b.three", .verdict = HN_PASS),
    END("c.four", .verdict = HN_FAIL, .demand = "it is 3", .seen = "got 4"),
};

/* The verdicts of a later run, in which a.one violated another clause. */
static const struct hn_clause_verdict said_later[] = {
    {"A-1", HN_FAIL}, {"A-2", HN_FAIL}, {"A-3", HN_NOTRUN}};

static struct rp_run *read_run_that_says(const struct hn_clause_verdict *clauses)
{
    struct hn_journal journal;
    struct hn_error error = {0};
    struct rp_run *run = NULL;
    test_write("plan.json", plan, sizeof plan - 1);
    unlink(test_path("journal.jsonl"));
    ck_assert_int_eq(hn_journal_create(&journal, test_path("journal.jsonl"), NULL), 0);
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        struct hn_record record = records[i];
        if (record.event == HN_EVENT_END && record.end.clauses)
            record.end.clauses = clauses;
        ck_assert_int_eq(hn_journal_write(&journal, &record, NULL), 0);
    }
    hn_journal_close(&journal);
    ck_assert_msg(rp_run_read(test_folder, &run, &error) == HN_OK, "%s", error.text);
    return run;
}

static struct rp_run *read_run(void)
{
    return read_run_that_says(said);
}

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST(diff_tells_of_a_clause_that_broke_beside_another)
{
    struct rp_run *from = read_run(), *to = read_run_that_says(said_later);
    struct rp_diff *diff;
    struct hn_error error;
    ck_assert_int_eq(rp_diff_make(from, to, &diff, &error), HN_OK);
    ck_assert_uint_eq(diff->change_count, 1);
    ck_assert_uint_eq(diff->counts[RP_WORSE], 1);
    ck_assert_str_eq(diff->changes[0].to->id, "a.one");
    rp_diff_destroy(diff);
    ck_assert_int_eq(rp_diff_make(from, from, &diff, &error), HN_OK);
    ck_assert_uint_eq(diff->change_count, 0);
    rp_diff_destroy(diff);
    rp_run_destroy(from);
    rp_run_destroy(to);
}

TEST(requirement_has_the_verdict_of_its_clause)
{
    static const enum hn_verdict wanted[] = {HN_PASS, HN_FAIL, HN_NOTRUN, HN_FAIL, HN_FAIL};
    struct rp_run *run = read_run();
    ck_assert_uint_eq(run->requirement_count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < run->requirement_count; i++)
        ck_assert_msg(run->requirements[i].verdict == wanted[i], "%s is %s",
                      run->requirements[i].id, hn_verdict_table[run->requirements[i].verdict].name);
    rp_run_destroy(run);
}

TEST(failures_that_say_the_same_are_joined_to_the_first)
{
    struct rp_run *run = read_run();
    const struct rp_check *one = rp_run_check(run, "a.one"), *two = rp_run_check(run, "b.two");
    const struct rp_check *four = rp_run_check(run, "c.four");
    ck_assert_str_eq(two->cause_key, one->cause_key);
    ck_assert_ptr_eq(two->joined, one);
    ck_assert_ptr_null(one->joined);
    ck_assert_uint_eq(one->joined_count, 1);
    ck_assert_str_ne(four->cause_key, "");
    ck_assert_str_ne(four->cause_key, one->cause_key);
    ck_assert_ptr_null(four->joined);
    ck_assert_str_eq(rp_run_check(run, "b.three")->cause_key, "");
    rp_run_destroy(run);
}
