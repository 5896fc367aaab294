/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of a set of an earlier and a later run of one target: rows, labels and sums.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model_internal.h"
#include "run_evidence.h"
#include "run_set.h"
#include "test_folder.h"
#include "unit_test.h"

static struct rp_run *read_run(const char *folder)
{
    struct rp_run *run = NULL;
    struct hn_error error = {0};
    ck_assert_msg(rp_run_read(folder, &run, &error) == HN_OK, "%s: %s", error.file, error.text);
    return run;
}

static const struct rp_set_check *row_of(const struct rp_set *set, const char *id)
{
    for (size_t i = 0; i < set->check_count; i++)
        if (strcmp(set->checks[i].any->id, id) == 0)
            return &set->checks[i];
    return NULL;
}

/* Every test works on the two runs and their set. */
static struct rp_run *runs[2];
static struct rp_set *set;

static void setup(void)
{
    struct hn_error error;
    runs[0] = read_run(TEST_DATA "/runs/mixed");
    runs[1] = read_run(TEST_DATA "/runs/later");
    ck_assert_int_eq(rp_set_make((const struct rp_run *const *)runs, 2, &set, &error), HN_OK);
}

static void teardown(void)
{
    rp_set_destroy(set);
    rp_run_destroy(runs[0]);
    rp_run_destroy(runs[1]);
}

TEST_FIXTURE(setup, teardown);

TEST(set_of_two_runs_joins_rows_in_the_order_of_the_first)
{
    ck_assert_uint_eq(set->check_count, 13);
    ck_assert_str_eq(set->checks[0].any->id, "guard.is_registered");
    ck_assert_str_eq(set->checks[10].any->id, "amp.last");
    ck_assert_str_eq(set->checks[11].any->id, "streams.added");
    const struct rp_set_check *only_first = row_of(set, "amp.last");
    ck_assert_ptr_nonnull(only_first->in[0]);
    ck_assert_ptr_null(only_first->in[1]);
    const struct rp_set_check *only_second = row_of(set, "streams.added");
    ck_assert_ptr_null(only_second->in[0]);
    ck_assert_int_eq(only_second->worst, HN_TIMEOUT);
}

TEST(set_check_has_the_worst_verdict_and_the_most_it_blocks)
{
    const struct rp_set_check *row =
        row_of(set, "guard.exchange_device_returns_the_previous_device");
    ck_assert_int_eq(row->worst, HN_FAIL);
    ck_assert_uint_eq(row->blocks, 2);
    ck_assert_int_eq(row->in[1]->verdict, HN_PASS);
}

TEST(set_module_has_share_and_worst_of_each_run)
{
    ck_assert_uint_eq(set->module_count, 3);
    ck_assert_str_eq(set->modules[0].name, "guard");
    ck_assert_uint_eq(set->modules[0].in[0].kept, 2);
    ck_assert_uint_eq(set->modules[0].in[0].total, 4);
    ck_assert_int_eq(set->modules[0].in[0].worst, HN_FAIL);
    ck_assert_uint_eq(set->modules[0].in[1].kept, 4);
    ck_assert_int_eq(set->modules[0].in[1].worst, HN_FLAKY);
}

TEST(set_labels_of_one_target_are_told_apart_by_torch)
{
    ck_assert_str_eq(set->labels[0], "foo.yaml torch 2.13.0");
    ck_assert_str_eq(set->labels[1], "foo.yaml torch 2.14.0");
}

TEST(set_labels_of_one_run_twice_are_numbered)
{
    struct hn_error error;
    struct rp_set *twice;
    const struct rp_run *same[] = {runs[0], runs[0], runs[0]};
    ck_assert_int_eq(rp_set_make(same, 3, &twice, &error), HN_OK);
    ck_assert_str_eq(twice->labels[2], "foo.yaml #3");
    rp_set_destroy(twice);
    ck_assert_int_eq(rp_set_make(same, 1, &twice, &error), HN_OK);
    ck_assert_str_eq(twice->labels[0], "foo.yaml");
    rp_set_destroy(twice);
    rp_set_destroy(NULL);
}

TEST(set_labels_of_the_same_torch_are_told_apart_by_date)
{
    struct hn_error error;
    struct rp_set *dated;
    struct rp_run other = *runs[0];
    const struct rp_run *pair[] = {runs[0], &other};
    other.date = "2026-11-23T00:00:00Z";
    ck_assert_int_eq(rp_set_make(pair, 2, &dated, &error), HN_OK);
    ck_assert_str_eq(dated->labels[1], "foo.yaml 2026-11-23T00:00:00Z");
    rp_set_destroy(dated);
}

TEST(set_troubles_are_causes_first)
{
    size_t *indices = calloc(set->check_count, sizeof *indices);
    const size_t count = rp_set_troubles(set, indices);
    ck_assert_uint_eq(count, 5);
    ck_assert_str_eq(set->checks[indices[0]].any->id,
                     "guard.exchange_device_returns_the_previous_device");
    ck_assert_str_eq(set->checks[indices[1]].any->id, "amp.lists");
    ck_assert_str_eq(set->checks[indices[2]].any->id, "streams.added");
    ck_assert_str_eq(set->checks[indices[3]].any->id, "amp.core_says_so");
    /* a check of level may */
    ck_assert_str_eq(set->checks[indices[4]].any->id, "streams.priority");
    free(indices);
}

TEST(set_order_has_what_is_blocked_under_its_cause)
{
    static const struct {
        const char *id;
        int under;
    } expected[] = {
        {"guard.exchange_device_returns_the_previous_device", 0},
        {"guard.device_guard_restores_the_device", 1},
        {"streams.gate_holds", 1},
        {"amp.lists", 0},
        {"streams.added", 0},
        {"amp.core_says_so", 0}, /* fails in one run and is blocked in the other */
        {"streams.priority", 0},
        {"guard.is_registered", 0},
    };
    struct rp_place *places = calloc(set->check_count, sizeof *places);
    ck_assert_int_eq(rp_set_order(set, places), HN_OK);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        ck_assert_str_eq(set->checks[places[i].row].any->id, expected[i].id);
        ck_assert_int_eq(places[i].under, expected[i].under);
    }
    free(places);
}

static char *tail_of(struct rp_check *check, const char *in, enum rp_evidence_kind kind)
{
    size_t length = 0;
    check->folder = in;
    return rp_evidence_tail(runs[1], check, kind, 30, &length);
}

TEST(evidence_is_the_end_of_a_file_from_a_line_on)
{
    struct rp_check check = *rp_run_check(runs[1], "streams.added");
    char *text = tail_of(&check, check.folder, RP_STACK);
    ck_assert_str_eq(text, "  main at check_x.c:70\n");
    free(text);
    text = tail_of(&check, check.folder, RP_OUTPUT);
    ck_assert_str_eq(text, "waiting for the gate\n");
    free(text);
    ck_assert_ptr_null(tail_of(&check, check.folder, RP_ERRORS));
}

TEST(evidence_outside_the_run_is_not_read)
{
    static const char *const folders[] = {"../later/jobs/streams.added", "/etc", "", "jobs//..",
                                          "jobs/absent"};
    struct rp_check check = *rp_run_check(runs[1], "streams.added");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        ck_assert_ptr_null(tail_of(&check, folders[i], RP_OUTPUT));
}

TEST(evidence_behind_a_link_is_not_read)
{
    struct rp_run run = *runs[1];
    struct rp_check check = *rp_run_check(runs[1], "streams.added");
    size_t length;
    test_folder_make();
    ck_assert_int_eq(symlink("/etc/passwd", test_path("out.txt")), 0);
    run.folder = "/tmp";
    check.folder = test_folder + strlen("/tmp/");
    ck_assert_ptr_null(rp_evidence_tail(&run, &check, RP_OUTPUT, 30, &length));
    test_folder_remove();
}

TEST(capabilities_stand_as_probe_refusal_and_use_show)
{
    static const struct {
        const char *name;
        enum hn_claim claim;
        enum rp_standing standing;
    } expected[] = {
        {"multi_device", HN_CLAIM_UNKNOWN, RP_UNSHOWN},
        {"streams", HN_CLAIM_YES, RP_BROKEN}, /* a check that needs streams timed out */
        {"streams.priority", HN_CLAIM_NO, RP_ABSENT},
        {"amp", HN_CLAIM_UNKNOWN, RP_BROKEN}, /* the probe of amp failed */
    };
    ck_assert_uint_eq(set->capability_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct rp_capability *capability = set->capabilities[i].in[1];
        ck_assert_ptr_null(set->capabilities[i].in[0]);
        ck_assert_str_eq(capability->name, expected[i].name);
        ck_assert_int_eq(capability->claim, expected[i].claim);
        ck_assert_int_eq(capability->standing, expected[i].standing);
    }
    ck_assert_str_eq(rp_standing_names[RP_ABSENT], "absent");
}

TEST(silence_is_explained_where_a_refusal_check_saw_what_the_target_denies)
{
    static const struct {
        enum hn_claim claim;
        enum hn_verdict refusal, verdict;
        int follows, is_explained;
    } rows[] = {
        {HN_CLAIM_NO, HN_PASS, HN_SKIP, 0, 1},   {HN_CLAIM_UNKNOWN, HN_PASS, HN_SKIP, 0, 0},
        {HN_CLAIM_NO, HN_FAIL, HN_SKIP, 0, 0},   {HN_CLAIM_NO, HN_PASS, HN_BLOCKED, 0, 0},
        {HN_CLAIM_NO, HN_PASS, HN_BROKEN, 0, 0}, {HN_CLAIM_NO, HN_FAIL, HN_BLOCKED, 1, 1},
    };
    static const char *const needs[] = {"streams"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct rp_check refusal = {.verdict = rows[i].refusal};
        const struct rp_capability streams = {
            .name = "streams", .claim = rows[i].claim, .refusal = &refusal};
        struct rp_run run = {.capabilities = &streams, .capability_count = 1};
        struct rp_check check = {.verdict = rows[i].verdict,
                                 .follows = rows[i].follows,
                                 .capabilities = {needs, 1},
                                 .blocked_by = ""};
        struct rp_builder builder = {.run = &run, .checks = &check, .check_count = 1};
        rp_sum_silence(&builder);
        ck_assert_int_eq(check.is_explained, rows[i].is_explained);
        ck_assert_uint_eq(run.silence.mute, !rows[i].is_explained);
    }
}

TEST(runs_read_keeps_the_order_of_the_folders)
{
    static const char *const folders[] = {TEST_DATA "/runs/later", TEST_DATA "/runs/mixed",
                                          TEST_DATA "/runs/later"};
    struct rp_run *read[3];
    struct hn_error error;
    ck_assert_int_eq(rp_runs_read(folders, 3, read, &error), HN_OK);
    ck_assert_str_eq(read[0]->torch_version, "2.14.0");
    ck_assert_str_eq(read[1]->torch_version, "2.13.0");
    for (size_t i = 0; i < 3; i++)
        rp_run_destroy(read[i]);
}

TEST(runs_read_of_a_bad_folder_names_the_first_and_keeps_none)
{
    static const char *const folders[] = {TEST_DATA "/runs/later", TEST_DATA "/absent",
                                          TEST_DATA "/also_absent"};
    struct rp_run *read[3];
    struct hn_error error;
    ck_assert_int_eq(rp_runs_read(folders, 3, read, &error), HN_ENOTFOUND);
    ck_assert_ptr_nonnull(strstr(error.file, "/absent/"));
    for (size_t i = 0; i < 3; i++)
        ck_assert_ptr_null(read[i]);
}

TEST(run_facts_of_the_journal_are_read)
{
    ck_assert_str_eq(runs[1]->machine, "Linux 6.1 x86_64, 2 processors");
    ck_assert_str_eq(runs[1]->isolation_why, "both came out the same");
    const struct rp_check *noted = rp_run_check(runs[1], "amp.late");
    ck_assert_uint_eq(noted->notes.count, 1);
    ck_assert_str_eq(noted->notes.items[0], "lists seen: fp32, bf16");
}
