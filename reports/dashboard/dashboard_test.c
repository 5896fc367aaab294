/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs over time: what is remembered, since when a state holds, what is new, and what is shown.
 */
#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dashboard.h"
#include "file.h"

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

static struct rp_past *read_past(void)
{
    struct rp_past *past;
    struct hn_error error;

    ck_assert_msg(rp_history_read(history, &past, &error) == HN_OK, "%s", error.text);
    return past;
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
    struct rp_past *past = read_past();
    ck_assert_uint_eq(past->count, 1);
    ck_assert_str_eq(past->runs[0].target, "foo.yaml");
    ck_assert_str_eq(past->runs[0].release, "2.13");
    ck_assert_int_eq(past->runs[0].state, RP_BREAKS);
    ck_assert_uint_eq(past->runs[0].kept, 2);
    ck_assert_uint_eq(past->runs[0].total, 7);
    ck_assert_uint_eq(past->runs[0].mark_count, 3);
    ck_assert_str_eq(past->runs[0].marks[0].check, "amp.core_says_so"); /* a must that crashed */
    rp_past_destroy(past);
}
END_TEST

START_TEST(past_says_since_when_and_what_is_new)
{
    add(runs[0], "2.14.0.dev1", "a", "2026-01-01T00:00:00Z");
    add(runs[1], "2.14.0.dev2", "b", "2026-01-02T00:00:00Z");
    mend(runs[0]);
    add(runs[0], "2.14.0.dev3", "c", "2026-01-03T00:00:00Z");
    add(runs[0], "2.14.0.dev4", "d", "2026-01-04T00:00:00Z");
    struct rp_past *past = read_past();
    const struct rp_past_run *run = past->runs;

    ck_assert_uint_eq(past->count, 4);
    ck_assert_uint_eq(run[0].since, 0);
    ck_assert_uint_eq(run[1].since, 0); /* still broken */
    ck_assert_int_eq(run[2].state, RP_COMPATIBLE);
    ck_assert_uint_eq(run[3].since, 2);
    for (size_t i = 0; i < run[0].mark_count; i++)
        ck_assert_int_eq(run[0].marks[i].fresh, 1);
    for (size_t i = 0; i < run[1].mark_count; i++)
        ck_assert_int_eq(run[1].marks[i].fresh, 1); /* all others than the day before */
    rp_past_destroy(past);
}
END_TEST

START_TEST(runs_of_other_selections_are_not_compared)
{
    runs[0]->select = "guard";
    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    runs[0]->select = "all";
    add(runs[0], "2.13.0", "b", "2026-01-02T00:00:00Z");
    runs[0]->select = "guard";
    add(runs[0], "2.13.0", "c", "2026-01-03T00:00:00Z");
    struct rp_past *past = read_past();

    ck_assert_uint_eq(past->count, 3);
    ck_assert_str_eq(past->runs[1].date, "2026-01-03T00:00:00Z");
    ck_assert_uint_eq(past->runs[1].since, 0);
    ck_assert_str_eq(past->runs[2].asked, "");
    ck_assert_uint_eq(past->runs[2].since, 2);
    for (size_t i = 0; i < past->runs[2].mark_count; i++) {
        ck_assert_int_eq(past->runs[1].marks[i].fresh, 0);
        ck_assert_int_eq(past->runs[2].marks[i].fresh, 1);
    }
    rp_past_destroy(past);
}
END_TEST

START_TEST(smoke_run_is_not_compatible_and_hides_no_whole_one)
{
    struct hn_buffer out;
    mend(runs[0]);
    runs[0]->select = "smoke";
    ck_assert_int_eq(rp_state_of(runs[0]), RP_PARTIAL);
    add(runs[0], "2.13.0", "b", "2026-01-02T00:00:00Z");
    add(runs[1], "2.13.0", "a", "2026-01-01T00:00:00Z");
    add(runs[0], "2.14.0", "c", "2026-01-02T00:00:00Z");
    struct rp_past *past = read_past();

    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_dashboard_html(past, &out), HN_OK);
    ck_assert(!strstr(out.text, ">compatible<"));
    const char *whole = strstr(out.text, ">incompatible<"), *part = strstr(out.text, ">partial<");
    ck_assert(whole && part && whole < part); /* of 2.13 the older run, which asked all */
    ck_assert(strstr(out.text, "asked: smoke"));
    hn_buffer_finish(&out);
    rp_past_destroy(past);
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
    struct rp_past *past = read_past();
    ck_assert_uint_eq(past->count, 2);
    ck_assert_uint_eq(past->runs[0].mark_count, 3);
    ck_assert_uint_gt(past->runs[1].mark_count, 0);
    ck_assert_str_ne(past->runs[1].marks[0].check, past->runs[0].marks[0].check);
    rp_past_destroy(past);
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
    struct rp_past *past = read_past();
    ck_assert_uint_eq(past->count, 0);
    rp_past_destroy(past);
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
    struct rp_past *past = read_past();
    ck_assert_uint_eq(past->count, 2);
    ck_assert_int_eq(past->runs[0].state, RP_PARTIAL); /* nobody knows what it asked */
    ck_assert_str_eq(past->runs[0].asked, "?");
    ck_assert_int_eq(past->runs[1].state, RP_BREAKS);
    ck_assert_uint_eq(past->runs[1].mark_count, 1);
    rp_past_destroy(past);
}
END_TEST

START_TEST(past_keeps_releases_apart)
{
    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    mend(runs[0]);
    add(runs[0], "2.9.1+cpu", "b", "2026-01-02T00:00:00Z");
    struct rp_past *past = read_past();
    struct hn_buffer out;

    ck_assert_uint_eq(past->runs[1].since, 1);
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_dashboard_html(past, &out), HN_OK);
    const char *nine = strstr(out.text, ">2.9<"), *thirteen = strstr(out.text, ">2.13<");
    ck_assert(nine && thirteen && nine < thirteen);
    hn_buffer_finish(&out);
    rp_past_destroy(past);
}
END_TEST

START_TEST(page_names_the_revisions_between_which_it_broke)
{
    struct hn_buffer out;
    struct rp_run good = *runs[1];

    good.check_count = 0; /* nothing in it is in trouble */
    add(&good, "2.14.0", "good111", "2026-01-01T00:00:00Z");
    add(runs[1], "2.14.0", "bad2222", "2026-01-02T00:00:00Z");
    struct rp_past *past = read_past();
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_dashboard_html(past, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "good111..bad2222"));
    ck_assert_ptr_nonnull(strstr(out.text, "since 2026-01-02"));
    ck_assert_ptr_nonnull(strstr(out.text, "<code>amp.lists</code> must: &lt;/script&gt;"));
    ck_assert_ptr_null(strstr(out.text, "<script"));
    hn_buffer_clear(&out);
    ck_assert_int_eq(rp_dashboard_json(past, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "\"schema\": \"assay/history/1\""));
    hn_buffer_finish(&out);
    rp_past_destroy(past);
}
END_TEST

START_TEST(page_of_an_empty_history_says_so)
{
    struct hn_buffer out;
    struct rp_past *past = read_past();

    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_dashboard_html(past, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "0 runs"));
    hn_buffer_finish(&out);
    rp_past_destroy(past);
    rp_past_destroy(NULL);
}
END_TEST

START_TEST(history_is_kept_in_its_file)
{
    struct hn_error error;

    add(runs[0], "2.13.0", "a", "2026-01-01T00:00:00Z");
    rp_history_close(history);
    ck_assert_int_eq(rp_history_open(path, RP_MAKE, &history, &error), HN_OK);
    struct rp_past *past = read_past();
    ck_assert_uint_eq(past->count, 1);
    rp_past_destroy(past);
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
    Suite *suite = suite_create("dashboard");
    TCase *test = tcase_create("dashboard");

    tcase_add_checked_fixture(test, setup, teardown);
    tcase_set_timeout(test, 60); /* a history that is held is waited for */
    tcase_add_test(test, history_remembers_a_run_once);
    tcase_add_test(test, past_says_since_when_and_what_is_new);
    tcase_add_test(test, runs_of_other_selections_are_not_compared);
    tcase_add_test(test, smoke_run_is_not_compatible_and_hides_no_whole_one);
    tcase_add_test(test, shard_is_a_part);
    tcase_add_test(test, history_of_form_1_is_taken_over);
    tcase_add_test(test, histories_of_two_machines_become_one);
    tcase_add_test(test, what_is_no_history_is_not_taken_and_not_made);
    tcase_add_test(test, past_keeps_releases_apart);
    tcase_add_test(test, page_names_the_revisions_between_which_it_broke);
    tcase_add_test(test, page_of_an_empty_history_says_so);
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
