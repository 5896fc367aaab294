/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the reader of untrusted runs with folders that are not runs, entries that are not files,
 * and runs with invalid content.
 */
#include <sys/stat.h>

#include "fixtures/gate_fixture.h"
#include "unit_test.h"

static struct hn_arena *arena;

static void setup(void)
{
    test_folder_make();
    arena = hn_arena_create(1 << 24);
}

static void teardown(void)
{
    hn_arena_destroy(arena);
    test_folder_remove();
}

static void expect_refusal(const char *words)
{
    struct ci_side side;
    struct hn_error error;
    ck_assert_int_eq(ci_side_read(test_folder, arena, &side, &error), 0);
    ck_assert_int_eq(side.given, 1);
    ck_assert_ptr_null(side.run);
    ck_assert_msg(strstr(side.refusal, words) != NULL, "%s", side.refusal);
    ci_side_finish(&side);
}

TEST_FIXTURE(setup, teardown);

TEST(side_read_refuses_what_is_no_file)
{
    unlink(test_path("journal.jsonl"));
    expect_refusal("journal.jsonl: is not in the run");
    ck_assert_int_eq(symlink("/etc/passwd", test_path("journal.jsonl")), 0);
    expect_refusal("journal.jsonl: is not a regular file");
    unlink(test_path("journal.jsonl"));
    ck_assert_int_eq(mkfifo(test_path("journal.jsonl"), 0600), 0);
    expect_refusal("journal.jsonl: is not a regular file");
    unlink(test_path("journal.jsonl"));
    fixture_journal(&(struct fixture_run){0});
    ck_assert_int_eq(symlink("/etc/passwd", test_path("plan.json")), 0);
    expect_refusal("plan.json: is not a regular file");
    unlink(test_path("plan.json"));
    ck_assert_int_eq(truncate(test_path("journal.jsonl"), (off_t)2 << 30), 0);
    expect_refusal("journal.jsonl: has 2147483648 bytes; the gate reads 67108864");
}

TEST(side_read_refuses_what_no_run_says)
{
#define RUN "{\"event\":\"run\",\"schema\":\"assay/journal/1\",\"seed\":\"1\","
    static const char *const journals[] = {
        RUN "\"date\":\"\",\"checks\":[]}\n",
        RUN "\"date\":\"yesterday\",\"checks\":[]}\n",
        RUN "\"date\":\"2026-11-21T0\",\"checks\":[{\"id\":\"<script>\",\"level\":\"must\"}]}\n",
        "garbage\n",
    };
    static const char *const words[] = {"says no date", "says no date",
                                        "\"<script>\" cannot be the id of a check", "not JSON"};

    for (size_t i = 0; i < sizeof journals / sizeof *journals; i++) {
        test_write("journal.jsonl", journals[i], strlen(journals[i]));
        expect_refusal(words[i]);
    }
}

TEST(side_read_of_a_failed_build_reads_the_end_of_its_log)
{
    const struct fixture_run run = {
        .verdicts = "--------", .why = "build step 2 (g++) ended with exit status 1; its words"};
    static const char error_line[] =
        "a.cpp:1:10: fatal error: ATen/Gone.h: No such file or directory\n";
    const size_t length = (size_t)1 << 20;
    char *log = malloc(length);
    struct ci_side side;
    memset(log, '\0', length);
    memcpy(log + length - sizeof error_line, error_line, sizeof error_line);
    test_write("build.log", log, length);
    side = fixture_side(&run, arena);
    ck_assert_int_eq(side.failure.step, CI_STEP_BUILD);
    ck_assert_int_eq(side.failure.ours, 0);
    ck_assert_str_eq(side.failure.interface_name, "ATen/Gone.h");
    ck_assert_ptr_nonnull(strstr(side.failure.message, "It is a header that is no longer there. "
                                                       "build step 2 (g++) ended with exit status "
                                                       "1: a.cpp:1:10: fatal error"));
    ci_side_finish(&side);
    unlink(test_path("build.log"));
    ck_assert_int_eq(symlink("/etc/passwd", test_path("build.log")), 0);
    side = fixture_side(&run, arena);
    ck_assert_ptr_null(strstr(side.failure.message, "root"));
    ck_assert_str_eq(side.failure.interface_name, "");
    ci_side_finish(&side);
    unlink(test_path("build.log"));
    side = fixture_side(&run, arena);
    ck_assert_str_eq(side.failure.message, "build step 2 (g++) ended with exit status 1.");
    ci_side_finish(&side);
    free(log);
}

TEST(side_read_of_a_failed_load_quotes_the_loader)
{
    const struct fixture_run run = {.verdicts = "lxllllll",
                                    .reason = "load: undefined symbol: _ZN3c103fooEv"};
    struct ci_side side = fixture_side(&run, arena);
    ck_assert_int_eq(side.failure.step, CI_STEP_LOAD);
    ck_assert_str_eq(side.failure.interface_name, "c10::foo()");
    ci_side_finish(&side);
}

TEST(find_runs_takes_a_run_or_a_folder_of_runs)
{
    const char *paths[3];
    char folder[sizeof test_folder + 8], name[HN_PATH_SIZE];
    size_t count;
    struct hn_error error;
    snprintf(folder, sizeof folder, "%s/many", test_folder);
    fixture_journal(&(struct fixture_run){0});
    ck_assert_int_eq(ci_find_runs(test_folder, arena, paths, 3, &count, &error), 0);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(paths[0], test_folder);
    static const char *const runs[] = {"many/b", "many/a", "many/.hidden", "many/none", "many/c"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        ck_assert_int_eq(hn_dir_make(test_path(runs[i]), &error), 0);
        snprintf(name, sizeof name, "%s/journal.jsonl", runs[i]);
        if (i != 3)
            test_write(name, "x", 1);
    }
    ck_assert_int_eq(symlink("/", test_path("many/link")), 0);
    ck_assert_int_eq(ci_find_runs(folder, arena, paths, 3, &count, &error), 0);
    ck_assert_uint_eq(count, 3);
    ck_assert_ptr_nonnull(strstr(paths[0], "many/a"));
    ck_assert_ptr_nonnull(strstr(paths[2], "many/c"));
    ck_assert_int_eq(ci_find_runs(folder, arena, paths, 2, &count, &error), HN_ELIMIT);
    ck_assert_int_eq(ci_find_runs("/nonexistent", arena, paths, 3, &count, &error), 0);
    ck_assert_uint_eq(count, 1);
}
