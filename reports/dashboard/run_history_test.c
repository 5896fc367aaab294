/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs over time: what is remembered, in which state, and which files are taken.
 */
#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "history.h"

static char path[] = "/tmp/rp_history_XXXXXX";
static struct rp_history *history;
static struct rp_run *runs[2];

static void setup(void)
{
    static const char *const folders[] = {TEST_DATA "/runs/mixed", TEST_DATA "/runs/later"};
    struct hn_error error;
    const int file = mkstemp(path);

    ck_assert_int_ge(file, 0);
    close(file);
    ck_assert_int_eq(rp_runs_read(folders, 2, runs, &error), HN_OK);
    ck_assert_msg(rp_history_open(path, RP_MAKE, &history, &error) == HN_OK, "%s", error.text);
}

static void teardown(void)
{
    rp_history_close(history);
    rp_run_destroy(runs[0]);
    rp_run_destroy(runs[1]);
    unlink(path);
    memcpy(strrchr(path, '_') + 1, "XXXXXX", 6);
}

/* A run on a date, of a torch of a day. */
static void add(struct rp_run *run, const char *torch, const char *git, const char *date)
{
    struct hn_error error;
    int added;

    run->torch_version = torch;
    run->torch_git = git;
    run->date = date;
    ck_assert_int_eq(rp_history_add(history, run, "", &added, &error), HN_OK);
    ck_assert_int_eq(added, 1);
}

/* The first column of the first row, as text. */
static const char *said(const char *sql)
{
    static char text[64];
    sqlite3_stmt *statement;
    sqlite3 *file;

    ck_assert_int_eq(sqlite3_open(path, &file), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(file, sql, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    snprintf(text, sizeof text, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(file);
    return text;
}

static const char *run_count(void)
{
    return said("SELECT count(*) FROM run");
}

/* All checks of a run kept, as if it were mended. */
static void mend(struct rp_run *run)
{
    for (size_t i = 0; i < run->check_count; i++) {
        struct rp_check *check = (struct rp_check *)(uintptr_t)&run->checks[i];
        check->verdict = HN_PASS;
        check->blocks = 0;
    }
    run->complete = 1;
}

START_TEST(history_remembers_a_run_once)
{
    struct hn_error error;
    int added;

    ck_assert_int_eq(rp_history_add(history, runs[0], "", &added, &error), HN_OK);
    ck_assert_int_eq(added, 1);
    ck_assert_int_eq(rp_history_add(history, runs[0], "", &added, &error), HN_OK);
    ck_assert_int_eq(added, 0);
    ck_assert_str_eq(run_count(), "1");
    ck_assert_str_eq(said("SELECT target || ' ' || release FROM series"), "foo.yaml 2.13");
    ck_assert_str_eq(said("SELECT state || ' ' || kept || '/' || total FROM run"),
                     "incompatible 2/7");
}
END_TEST

START_TEST(runs_of_other_selections_are_of_other_series)
{
    runs[0]->select = "guard";
    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    runs[0]->select = "all";
    add(runs[0], "2.13.0", "b", "2026-01-02T00:00:00Z");
    runs[0]->select = "guard";
    add(runs[0], "2.13.0", "c", "2026-01-03T00:00:00Z");
    ck_assert_str_eq(said("SELECT count(*) FROM series"), "2");
    ck_assert_str_eq(said("SELECT group_concat(git, '') FROM run JOIN series ON series.id = series"
                          " WHERE asked = 'guard'"),
                     "ac");
}
END_TEST

START_TEST(smoke_run_is_not_compatible)
{
    mend(runs[0]);
    runs[0]->select = "smoke";
    ck_assert_int_eq(rp_state_of(runs[0]), RP_PARTIAL);
    add(runs[0], "2.13.0", "b", "2026-01-02T00:00:00Z");
    ck_assert_str_eq(said("SELECT state FROM run"), "partial");
}
END_TEST

START_TEST(shard_is_a_part)
{
    char asked[64];
    mend(runs[0]);
    runs[0]->shard = 2;
    runs[0]->shards = 3;
    rp_asked_of(runs[0], asked, sizeof asked);
    ck_assert_str_eq(asked, "shard 2/3");
    ck_assert_int_eq(rp_state_of(runs[0]), RP_PARTIAL);
    runs[0]->select = "guard";
    rp_asked_of(runs[0], asked, sizeof asked);
    ck_assert_str_eq(asked, "guard, shard 2/3");
}
END_TEST

/* Another file with two runs: one that is known here, one that is not. */
static void make_other(const char *other)
{
    struct rp_history *mine = history;
    struct hn_error error;

    ck_assert_int_eq(rp_history_open(other, RP_MAKE, &history, &error), HN_OK);
    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    add(runs[1], "2.13.0", "b", "2026-01-02T00:00:00Z");
    rp_history_close(history);
    history = mine;
}

START_TEST(histories_of_two_machines_become_one)
{
    char other[sizeof path + 8];
    struct hn_error error;
    int added, known;

    snprintf(other, sizeof other, "%s.other", path);
    make_other(other);
    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    ck_assert_msg(rp_history_take(history, other, &added, &known, &error) == HN_OK, "%s",
                  error.text);
    ck_assert_int_eq(added, 1);
    ck_assert_int_eq(known, 1);
    ck_assert_int_eq(rp_history_take(history, other, &added, &known, &error), HN_OK);
    ck_assert_int_eq(added, 0);
    ck_assert_int_eq(known, 2);
    ck_assert_str_eq(run_count(), "2");
    ck_assert_str_eq(said("SELECT count(DISTINCT state || digest || kept || total) FROM run"), "2");
    unlink(other);
}
END_TEST

START_TEST(what_is_no_history_is_not_taken_and_not_made)
{
    struct hn_error error;
    int added, known;

    ck_assert_int_eq(rp_history_take(history, "/nowhere/other.db", &added, &known, &error),
                     HN_EINPUT);
    ck_assert_int_eq(
        rp_history_take(history, TEST_DATA "/runs/mixed/plan.json", &added, &known, &error),
        HN_EINPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "is not a history of assay"));
    ck_assert_str_eq(run_count(), "0");
}
END_TEST

START_TEST(history_of_form_1_is_taken_over)
{
    static const char form_1[] =
        "DROP TABLE change; DROP TABLE words; DROP TABLE answer; DROP TABLE fact; DROP TABLE run;"
        "DROP TABLE series;"
        "CREATE TABLE run (id INTEGER PRIMARY KEY, target TEXT NOT NULL, torch TEXT NOT NULL,"
        " release TEXT NOT NULL, git TEXT NOT NULL, date TEXT NOT NULL, contract INTEGER NOT NULL,"
        " digest TEXT NOT NULL, state INTEGER NOT NULL, kept INTEGER NOT NULL, total INTEGER NOT "
        "NULL, UNIQUE (target, torch, git, date, digest));"
        "CREATE TABLE mark (run INTEGER NOT NULL REFERENCES run (id), place INTEGER NOT NULL,"
        " check_id TEXT NOT NULL, level INTEGER NOT NULL, verdict INTEGER NOT NULL,"
        " seen TEXT NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID;"
        "INSERT INTO run VALUES (7,'t','2.13.0','2.13','a','2026-01-01','1','d',0,5,5);"
        "INSERT INTO run VALUES (8,'t','2.13.0','2.13','b','2026-01-02','1','d',1,4,5);"
        "INSERT INTO mark VALUES (8,0,'guard.x',0,1,'seen'); PRAGMA user_version=1;";
    struct hn_error error;
    sqlite3 *file;

    rp_history_close(history);
    ck_assert_int_eq(sqlite3_open(path, &file), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(file, form_1, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
    ck_assert_int_eq(rp_history_open(path, RP_MAKE, &history, &error), HN_OK);
    ck_assert_str_eq(run_count(), "2");
    ck_assert_str_eq(said("SELECT asked FROM series"), "?"); /* nobody knows what it asked */
    ck_assert_str_eq(said("SELECT group_concat(state) FROM run"), "partial,incompatible");
    ck_assert_str_eq(said("SELECT name || ' ' || verdict FROM change JOIN fact ON fact.id = fact"
                          " JOIN answer ON answer.id = answer ORDER BY at DESC LIMIT 1"),
                     "guard.x timeout");
}
END_TEST

START_TEST(history_is_kept_in_its_file)
{
    struct hn_error error;

    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    rp_history_close(history);
    ck_assert_int_eq(rp_history_open(path, RP_MAKE, &history, &error), HN_OK);
    ck_assert_str_eq(run_count(), "1");
}
END_TEST

START_TEST(history_refuses_a_file_that_is_none)
{
    struct hn_error error;
    struct rp_history *none;
    char text[4096];

    memset(text, 'x', sizeof text);
    rp_history_close(history);
    history = NULL;
    ck_assert_int_eq(hn_file_write(path, text, sizeof text, NULL), HN_OK);
    ck_assert_int_ne(rp_history_open(path, RP_MAKE, &none, &error), HN_OK);
    ck_assert_ptr_null(none);
    ck_assert_int_ne(rp_history_open("/nowhere/history.db", RP_MAKE, &none, &error), HN_OK);
}
END_TEST

/* The sentence on a history that somebody else did `sql` to and still has open. */
static void expect_words(const char *sql, const char *words)
{
    struct hn_error error;
    struct rp_history *opened;
    sqlite3 *other;

    ck_assert_int_eq(sqlite3_open(path, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_ne(rp_history_open(path, RP_MAKE, &opened, &error), HN_OK);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    sqlite3_close(other);
}

START_TEST(history_that_another_program_holds_is_called_so)
{
    expect_words("BEGIN EXCLUSIVE", "is held by another program");
}
END_TEST

START_TEST(history_of_another_form_is_called_so)
{
    expect_words("PRAGMA user_version=99",
                 "form 99, and this assay knows form 3: use a newer assay");
}
END_TEST

START_TEST(state_looks_at_musts_alone)
{
    struct rp_check checks[] = {{.level = HN_MUST, .verdict = HN_PASS},
                                {.level = HN_SHOULD, .verdict = HN_CRASH}};
    struct rp_run run = {.complete = 1, .checks = checks, .check_count = 2, .select = ""};

    ck_assert_int_eq(rp_state_of(&run), RP_COMPATIBLE);
    run.complete = 0;
    ck_assert_int_eq(rp_state_of(&run), RP_UNDECIDED);
    run.complete = 1;
    checks[0].verdict = HN_BROKEN;
    ck_assert_int_eq(rp_state_of(&run), RP_UNDECIDED);
    checks[0].verdict = HN_TIMEOUT;
    ck_assert_int_eq(rp_state_of(&run), RP_BREAKS);
}
END_TEST

START_TEST(release_is_the_first_two_numbers)
{
    static const char *const table[][2] = {{"2.13.0+cpu", "2.13"},
                                           {"2.14.0.dev20261121", "2.14"},
                                           {"main", "main"},
                                           {"2", "2"},
                                           {"", ""}};
    char release[64];

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        rp_release_of(table[i][0], release, sizeof release);
        ck_assert_str_eq(release, table[i][1]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("run_history");
    TCase *test = tcase_create("run_history");

    tcase_add_checked_fixture(test, setup, teardown);
    tcase_set_timeout(test, 60); /* a history that is held is waited for */
    tcase_add_test(test, history_remembers_a_run_once);
    tcase_add_test(test, runs_of_other_selections_are_of_other_series);
    tcase_add_test(test, smoke_run_is_not_compatible);
    tcase_add_test(test, shard_is_a_part);
    tcase_add_test(test, history_of_form_1_is_taken_over);
    tcase_add_test(test, histories_of_two_machines_become_one);
    tcase_add_test(test, what_is_no_history_is_not_taken_and_not_made);
    tcase_add_test(test, history_is_kept_in_its_file);
    tcase_add_test(test, history_refuses_a_file_that_is_none);
    tcase_add_test(test, history_that_another_program_holds_is_called_so);
    tcase_add_test(test, history_of_another_form_is_called_so);
    tcase_add_test(test, state_looks_at_musts_alone);
    tcase_add_test(test, release_is_the_first_two_numbers);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
