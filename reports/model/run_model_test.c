/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of reading a whole run, a run that is cut at every byte, and forged runs, which must give
 * an error with a message.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model_internal.h"
#include "test_folder.h"
#include "unit_test.h"

static struct rp_run *read_mixed(void)
{
    struct rp_run *run = NULL;
    struct hn_error error = {0};
    ck_assert_msg(rp_run_read(TEST_DATA "/runs/mixed", &run, &error) == HN_OK, "%s: %s", error.file,
                  error.text);
    return run;
}

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST(run_read_of_a_whole_run_has_all_facts)
{
    struct rp_run *run = read_mixed();
    ck_assert_str_eq(run->target, "foo.yaml");
    ck_assert_str_eq(run->torch_version, "2.13.0");
    ck_assert_str_eq(run->digest, "0123456789abcdef");
    ck_assert_int_eq(run->contract, 1);
    ck_assert_int_eq(run->devices, 2);
    ck_assert_int_eq(run->complete, 0);
    ck_assert_int_eq(run->torn, 0);
    ck_assert_uint_eq(run->check_count, 11);
    ck_assert_uint_eq(run->module_count, 3);
    ck_assert_uint_eq(run->totals[HN_PASS], 2);
    ck_assert_uint_eq(run->totals[HN_INCOMPLETE], 1);
    ck_assert_uint_eq(run->totals[HN_NOTRUN], 1);
    const struct rp_check *check =
        rp_run_check(run, "guard.exchange_device_returns_the_previous_device");
    ck_assert_str_eq(check->seen, "exchange(1) returned 1, expected 0");
    ck_assert_str_eq(check->expected, "exchange returns what was current");
    ck_assert_int_eq(check->verdict, HN_FAIL);
    ck_assert_ptr_null(rp_run_check(run, "guard.absent"));
    rp_run_destroy(run);
}

TEST(run_read_counts_how_far_the_stages_are)
{
    struct rp_run *run = read_mixed();
    const struct rp_stage *first = &run->stages[0], *second = &run->stages[1];
    ck_assert_uint_eq(run->stage_count, 2);
    ck_assert_str_eq(rp_run_stage(run), "first");
    ck_assert_uint_eq(first->kept, 2); /* one of these two is flaky */
    ck_assert_uint_eq(first->unseen, 1);
    ck_assert_uint_eq(second->kept, 2);
    ck_assert_uint_eq(second->open_count, 2);
    ck_assert_str_eq(second->open[0], "guard.exchange_device_returns_the_previous_device");
    ck_assert_uint_eq(second->unasked, 1); /* the run ended before this check */
    ck_assert(!rp_stage_is_reached(second));
    rp_run_destroy(run);
}

/* A capability that is refused cleanly is excused, unless the stage requires it. */
TEST(stage_is_open_where_it_lacks_what_it_needs)
{
    const char *const needed[] = {"rng"}, *const ids[] = {"a", "b"};
    struct rp_check checks[] = {{.id = "a", .verdict = HN_SKIP, .about = "rng"},
                                {.id = "b", .verdict = HN_SKIP, .about = "graphs"}};
    const struct rp_check *by_id[] = {&checks[0], &checks[1]};
    struct rp_stage stage = {.name = "s", .capabilities = {needed, 1}, .checks = {ids, 2}};
    struct rp_run run = {.stages = &stage, .stage_count = 1};
    struct hn_error error;
    struct rp_builder builder = {.error = &error,
                                 .run = &run,
                                 .stages = &stage,
                                 .arena = hn_arena_create(1 << 20),
                                 .by_id = by_id,
                                 .by_id_count = 2};
    ck_assert_int_eq(rp_sum_stages(&builder), HN_OK);
    ck_assert_uint_eq(stage.open_count, 1);
    ck_assert_str_eq(stage.open[0], "a");
    ck_assert_str_eq(rp_run_stage(&run), "none");
    stage.unasked = 1;
    ck_assert_ptr_null(rp_run_stage(&run));
    hn_arena_destroy(builder.arena);
}

TEST(run_read_counts_only_the_last_attempt)
{
    struct rp_run *run = read_mixed();
    const struct rp_check *check = rp_run_check(run, "guard.device_count_is_constant");
    ck_assert_int_eq(check->verdict, HN_FLAKY);
    ck_assert_int_eq(check->retries, 1);
    ck_assert_str_eq(check->seen, "");
    rp_run_destroy(run);
}

TEST(run_read_follows_blocked_chains_to_their_root)
{
    struct rp_run *run = read_mixed();
    const struct rp_check *cause =
        rp_run_check(run, "guard.exchange_device_returns_the_previous_device");
    ck_assert_uint_eq(cause->blocks, 2);
    ck_assert_ptr_eq(rp_run_check(run, "streams.gate_holds")->root, cause);
    ck_assert_ptr_null(cause->root);
    rp_run_destroy(run);
}

TEST(run_read_settles_requirements_by_rank)
{
    static const struct {
        const char *id;
        enum hn_verdict verdict;
    } rows[] = {{"DEV-001", HN_PASS},      {"DEV-004", HN_FAIL},     {"DEV-005", HN_BLOCKED},
                {"DEV-006", HN_FLAKY},     {"STRM-001", HN_BLOCKED}, {"STRM-002", HN_CRASH},
                {"AMP-003", HN_INCOMPLETE}};
    struct rp_run *run = read_mixed();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rp_requirement *found = NULL;
        for (size_t j = 0; j < run->requirement_count; j++)
            if (strcmp(run->requirements[j].id, rows[i].id) == 0)
                found = &run->requirements[j];
        ck_assert_ptr_nonnull(found);
        ck_assert_msg(found->verdict == rows[i].verdict, "%s is %s", rows[i].id,
                      hn_verdict_table[found->verdict].name);
    }
    rp_run_destroy(run);
}

TEST(run_troubles_puts_causes_first)
{
    struct rp_run *run = read_mixed();
    size_t indices[16];
    ck_assert_uint_eq(rp_run_troubles(run, indices), 3);
    ck_assert_str_eq(run->checks[indices[0]].id,
                     "guard.exchange_device_returns_the_previous_device");
    ck_assert_str_eq(run->checks[indices[1]].id, "amp.core_says_so");
    ck_assert_str_eq(run->checks[indices[2]].id, "streams.priority"); /* crash, level may */
    rp_run_destroy(run);
}

TEST(run_read_of_a_journal_cut_anywhere_never_fails)
{
    char *journal, *plan;
    size_t length, plan_length;
    ck_assert_int_eq(
        hn_file_read(TEST_DATA "/runs/mixed/journal.jsonl", 1 << 20, &journal, &length, NULL), 0);
    ck_assert_int_eq(
        hn_file_read(TEST_DATA "/runs/mixed/plan.json", 1 << 20, &plan, &plan_length, NULL), 0);
    test_write("plan.json", plan, plan_length);
    const size_t header = (size_t)(strchr(journal, '\n') - journal) + 1;
    for (size_t cut = 0; cut < length; cut++) {
        struct rp_run *run = NULL;
        struct hn_error error;
        test_write("journal.jsonl", journal, cut);
        const int status = rp_run_read(test_folder, &run, &error);
        ck_assert_int_eq(status, cut < header ? HN_EINPUT : HN_OK);
        if (!status)
            ck_assert_int_eq(run->torn, journal[cut - 1] != '\n');
        rp_run_destroy(run);
    }
    free(journal);
    free(plan);
}

#define RUN                                                                                        \
    "{\"event\":\"run\",\"schema\":\"assay/journal/1\",\"date\":\"d\",\"seed\":\"1\",\"checks\":["
#define CHECK(id) "{\"id\":\"" id "\",\"level\":\"must\"}"
#define HEADER RUN CHECK("a.b") "]}\n"
#define FINISH(totals) "{\"event\":\"finish\",\"complete\":true,\"totals\":" totals "}\n"
#define END "{\"event\":\"end\",\"attempt\":1,\"final\":true,"

TEST(run_read_of_forged_journals_is_refused_in_words)
{
    static const struct {
        const char *journal, *expected;
    } rows[] = {
        {"", "holds no run: its first line is missing"},
        {HEADER END "\"id\":\"x.y\",\"verdict\":\"pass\"}\n",
         "names x.y, which the run did not plan"},
        {HEADER END "\"id\":\"a.b\",\"verdict\":\"pass\",\"seen\":[1]}\n",
         "seen must be text, not an array"},
        {RUN CHECK("a") "," CHECK("a") "]}\n", "the run plans a twice"},
        {HEADER END "\"id\":\"a.b\",\"verdict\":\"fail\"}\n" END
                    "\"id\":\"a.b\",\"verdict\":\"pass\"}\n",
         "is a second final verdict of a.b, pass after fail: the journal contradicts itself"},
        {HEADER END "\"id\":\"a.b\",\"verdict\":\"pass\"}\n" FINISH("{\"fail\":1}"),
         "says that the run has 1 fail, and its records have 0: the journal contradicts itself"},
        {HEADER END "\"id\":\"a.b\",\"verdict\":\"pass\"}\n" FINISH("{\"pass\":1}") END
         "\"id\":\"a.b\",\"verdict\":\"pass\"}\n",
         "comes after the end of the run: the journal contradicts itself"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rp_run *run = NULL;
        struct hn_error error = {0};
        test_write("journal.jsonl", rows[i].journal, strlen(rows[i].journal));
        ck_assert_int_eq(rp_run_read(test_folder, &run, &error), HN_EINPUT);
        ck_assert_str_eq(error.text, rows[i].expected);
        ck_assert_ptr_null(run);
    }
}

TEST(run_read_without_a_plan_uses_the_journals_list)
{
    struct rp_run *run = NULL;
    struct hn_error error;
    static const char text[] =
        HEADER "{\"event\":\"new\",\"of\":\"a later version\"}\n"
               "{\"event\":\"start\",\"id\":\"a.b\",\"attempt\":1}\n" END
               "\"id\":\"a.b\",\"verdict\":\"pass\"}\n" FINISH("{\"pass\":1}");
    test_write("journal.jsonl", text, sizeof text - 1);
    ck_assert_int_eq(rp_run_read(test_folder, &run, &error), HN_OK);
    ck_assert_int_eq(run->complete, 1);
    ck_assert_str_eq(run->checks[0].module, "a");
    ck_assert_str_eq(run->checks[0].words.hint, "");
    ck_assert_uint_eq(run->totals[HN_PASS], 1);
    rp_run_destroy(run);
}

/* Reads a plan whose only job has only this field. */
static void read_word(const struct hn_check_field *field)
{
    struct rp_run *run = NULL;
    struct hn_error error = {0};
    char plan[400];
    static const char journal[] = HEADER FINISH("{}");
    snprintf(
        plan, sizeof plan,
        "{\"schema\":\"assay/plan/1\",\"contract\":1,\"shards\":1,\"shard\":1,\"requirements\":[],"
        "\"jobs\":[{\"id\":\"a.b\",\"%s\":\"what it says\"}]}",
        field->name);
    test_write("plan.json", plan, strlen(plan));
    test_write("journal.jsonl", journal, sizeof journal - 1);
    ck_assert_msg(rp_run_read(test_folder, &run, &error) == HN_OK, "%s", error.text);
    struct hn_check_words words = run->checks[0].words;
    ck_assert_str_eq(*hn_check_word(&words, field), "what it says");
    rp_run_destroy(run);
}

TEST(run_read_has_each_word_of_a_check)
{
    struct hn_check_words words;
    size_t read = 0;
    for (size_t i = 0; i < hn_check_field_count; i++)
        if (hn_check_word(&words, &hn_check_fields[i])) {
            read_word(&hn_check_fields[i]);
            read++;
        }
    ck_assert_uint_eq(read, sizeof words / sizeof words.hint);
}

TEST(run_read_names_lines_that_are_lost_and_reads_the_others)
{
    struct rp_run *run = NULL;
    struct hn_error error;
    static const char text[] = HEADER "{\"event\":\"start\",\"id\":\"a{\"event\":\"start\"}\n" END
                                      "\"id\":\"a.b\",\"verdict\":\"fail\"}\n";
    test_write("journal.jsonl", text, sizeof text - 1);
    ck_assert_int_eq(rp_run_read(test_folder, &run, &error), HN_OK);
    ck_assert_uint_eq(run->totals[HN_FAIL], 1);
    ck_assert_ptr_nonnull(strstr(run->loss, "1 line of the journal cannot be read"));
    ck_assert_ptr_nonnull(strstr(run->loss, "journal.jsonl:2:"));
    rp_run_destroy(run);
}

TEST(run_read_of_blocked_in_a_circle_ends)
{
    struct rp_run *run = NULL;
    struct hn_error error;
    static const char text[] = RUN CHECK("a.b") "," CHECK(
        "a.c") "]}\n" END "\"id\":\"a.b\",\"verdict\":\"blocked\",\"blocked_by\":\"a.c\"}\n" END
               "\"id\":\"a.c\",\"verdict\":\"blocked\",\"blocked_by\":\"a.b\"}\n";
    test_write("journal.jsonl", text, sizeof text - 1);
    ck_assert_int_eq(rp_run_read(test_folder, &run, &error), HN_OK);
    ck_assert_uint_eq(run->totals[HN_BLOCKED], 2);
    rp_run_destroy(run);
}
