/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The record: what is written of a run and what is not, runs that come late, lines in and out, and
 * files that are refused.
 */
#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "history.h"
#include "history_file.h"

#define NIGHTS 3
#define FILE_MOST ((size_t)16 << 20)

static char folder[] = "/tmp/rp_record_XXXXXX";
static char path[64], other[64], lines[64];
static struct rp_run *runs[2];

static void setup(void)
{
    static const char *const folders[] = {TEST_DATA "/runs/mixed", TEST_DATA "/runs/later"};
    struct hn_error error;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/history.db", folder);
    snprintf(other, sizeof other, "%s/other.db", folder);
    snprintf(lines, sizeof lines, "%s/lines.jsonl", folder);
    ck_assert_int_eq(rp_runs_read(folders, 2, runs, &error), HN_OK);
}

static void teardown(void)
{
    rp_run_destroy(runs[0]);
    rp_run_destroy(runs[1]);
    unlink(path);
    unlink(other);
    unlink(lines);
    rmdir(folder);
    memcpy(strrchr(folder, '_') + 1, "XXXXXX", 6);
}

static struct rp_history *open_it(const char *file)
{
    struct rp_history *history;
    struct hn_error error;

    ck_assert_msg(rp_history_open(file, RP_MAKE, &history, &error) == HN_OK, "%s", error.text);
    return history;
}

/* One of three nights: as it was found, another run, as it was found. */
static int add_night(const char *file, int night)
{
    static const char *const dates[NIGHTS] = {"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z",
                                              "2026-01-03T00:00:00Z"};
    static const char *const revisions[NIGHTS] = {"aaa", "bbb", "ccc"};
    struct rp_history *history = open_it(file);
    struct rp_run *run = runs[night % 2];
    struct hn_error error;
    int added;

    run->target = "foo.yaml";
    run->torch_version = "2.13.0";
    run->torch_git = revisions[night];
    run->date = dates[night];
    ck_assert_msg(rp_history_add(history, run, "backend-1", &added, &error) == HN_OK, "%s",
                  error.text);
    rp_history_close(history);
    return added;
}

static long long number(const char *file, const char *sql)
{
    sqlite3_stmt *statement;
    sqlite3 *opened;

    ck_assert_int_eq(sqlite3_open(file, &opened), SQLITE_OK);
    ck_assert_int_eq(sqlite3_prepare_v2(opened, sql, -1, &statement, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
    const long long found = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(opened);
    return found;
}

/* The caller frees. */
static char *export_of(const char *file)
{
    struct rp_history *history = open_it(file);
    struct hn_error error;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    ck_assert_int_eq(rp_history_export(history, out, &error), HN_OK);
    fclose(out);
    rp_history_close(history);
    return text;
}

static int import_text(const char *text, struct hn_error *error)
{
    struct rp_history *history = open_it(path);
    int added, known;

    ck_assert_int_eq(hn_file_write(lines, text, strlen(text), NULL), HN_OK);
    const int status = rp_history_import(history, lines, &added, &known, error);
    rp_history_close(history);
    return status ? status : added;
}

START_TEST(record_keeps_verdicts_as_text_and_only_where_they_change)
{
    add_night(path, 0);
    const long long first = number(path, "SELECT count(*) FROM change");
    runs[1] = (rp_run_destroy(runs[1]), runs[0]); /* the same run on the night after */
    add_night(path, 1);

    ck_assert_int_eq(number(path, "SELECT count(*) FROM run"), 2);
    ck_assert_int_eq(number(path, "SELECT count(*) FROM change"), first);
    ck_assert_int_eq(
        number(path, "SELECT count(*) FROM change JOIN fact ON fact.id = fact"
                     " JOIN answer ON answer.id = answer WHERE kind = 'check'"
                     " AND name = 'guard.is_registered' AND verdict = 'pass' AND level = 'must'"),
        1);
    ck_assert_int_eq(number(path, "SELECT count(*) FROM answer WHERE typeof(verdict) != 'text'"),
                     0);
    ck_assert_int_eq(number(path, "SELECT count(*) FROM run WHERE backend = 'backend-1'"), 2);
    runs[1] = NULL;
}
END_TEST

START_TEST(runs_may_come_in_any_order)
{
    static const int orders[][NIGHTS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    char *expected = NULL;

    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        unlink(path);
        for (int j = 0; j < NIGHTS; j++)
            ck_assert_int_eq(add_night(path, orders[i][j]), 1);
        ck_assert_int_eq(add_night(path, orders[i][0]), 0);
        char *text = export_of(path);
        if (expected)
            ck_assert(strcmp(text, expected) == 0); /* too long to be shown */
        else
            expected = strdup(text);
        free(text);
    }
    ck_assert_ptr_nonnull(strstr(expected, "\"after\":\"2026-01-02T00:00:00Z\""));
    free(expected);
}
END_TEST

START_TEST(lines_bring_the_whole_record_and_bring_it_once)
{
    struct hn_error error;

    for (int night = 0; night < NIGHTS; night++)
        add_night(other, night);
    char *text = export_of(other);
    add_night(path, 1); /* one is here already */
    ck_assert_msg(import_text(text, &error) == 2, "%s", error.text);
    char *again = export_of(path);
    ck_assert(strcmp(again, text) == 0);
    ck_assert_int_eq(import_text(text, &error), 0);
    free(again);
    free(text);
}
END_TEST

START_TEST(merged_history_is_the_one_of_all_runs)
{
    struct rp_history *history;
    struct hn_error error;
    int added, known;

    for (int night = 0; night < NIGHTS; night++)
        add_night(other, night);
    add_night(path, 2);
    history = open_it(path);
    ck_assert_int_eq(rp_history_take(history, other, &added, &known, &error), HN_OK);
    ck_assert_int_eq(added, 2);
    ck_assert_int_eq(known, 1);
    rp_history_close(history);
    char *one = export_of(path), *two = export_of(other);
    ck_assert(strcmp(one, two) == 0);
    free(one);
    free(two);
}
END_TEST

/* A line that is not what it should be is named, and nothing of the file stays. */
static void refuse_lines(const char *text, const char *words)
{
    char *before = export_of(path), *after;
    struct hn_error error;

    ck_assert_int_eq(import_text(text, &error), HN_EINPUT);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    ck_assert_ptr_nonnull(strstr(error.file, "lines.jsonl"));
    after = export_of(path);
    ck_assert(strcmp(before, after) == 0);
    free(before);
    free(after);
}

START_TEST(line_that_is_wrong_is_named_and_nothing_is_kept)
{
    for (int night = 0; night < NIGHTS; night++)
        add_night(other, night);
    char *text = export_of(other);
    char *second = strchr(text, '\n') + 1;
    char *broken = strdup(text);

    strstr(broken, "\"2026-01-03")[1] = 'x';
    refuse_lines(broken, "no date");
    refuse_lines(second, "is not the line before");
    broken[strlen(broken) - 5] = '\0';
    refuse_lines(broken, "");
    refuse_lines("{\"schema\":\"assay/run/1\"}\n", "this assay reads assay/history-run/1");
    refuse_lines("[]\n", "must be an object");
    free(broken);
    free(text);
}
END_TEST

/* The sentence on a file, which stays as it is. */
static void refuse_file(const char *words)
{
    struct rp_history *history;
    struct hn_error error;
    char *before, *after;
    size_t size, size_after;

    ck_assert_int_eq(hn_file_read(path, FILE_MOST, &before, &size, NULL), HN_OK);
    ck_assert_int_eq(rp_history_open(path, RP_MAKE, &history, &error), HN_EINPUT);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    ck_assert_int_eq(hn_file_read(path, FILE_MOST, &after, &size_after, NULL), HN_OK);
    ck_assert_uint_eq(size, size_after);
    ck_assert_mem_eq(before, after, size);
    free(before);
    free(after);
}

START_TEST(file_that_is_damaged_foreign_or_newer_is_refused_and_stays)
{
    char *text;
    size_t size;

    add_night(path, 0);
    ck_assert_int_eq(hn_file_read(path, FILE_MOST, &text, &size, NULL), HN_OK);
    memset(text + size / 2, 0xa5, size / 4);
    ck_assert_int_eq(hn_file_write(path, text, size, NULL), HN_OK);
    refuse_file("is damaged; nothing was changed");
    ck_assert_int_eq(hn_file_write(path, text, size / 2, NULL), HN_OK);
    refuse_file("is damaged; nothing was changed");
    text[63] = 99; /* user_version of the header */
    ck_assert_int_eq(hn_file_write(path, text, size, NULL), HN_OK);
    refuse_file("form 99, and this assay knows form 3: use a newer assay");
    text[68] ^= 1; /* application_id */
    ck_assert_int_eq(hn_file_write(path, text, size, NULL), HN_OK);
    refuse_file("is not a history of assay");
    free(text);
}
END_TEST

START_TEST(run_without_a_date_is_refused)
{
    struct rp_history *history = open_it(path);
    struct hn_error error;
    int added;

    runs[0]->date = "yesterday";
    ck_assert_int_eq(rp_history_add(history, runs[0], "", &added, &error), HN_EINPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "says no date"));
    rp_history_close(history);
    ck_assert_int_eq(number(path, "SELECT count(*) FROM run"), 0);
    ck_assert_int_eq(number(path, "SELECT count(*) FROM fact"), 0);
}
END_TEST

/* A reader in the middle of its walk, while somebody adds. */
static int add_while_walking(void *context, const struct rp_step *step, struct hn_error *error)
{
    sqlite3 *writer;

    (void)error;
    ++*(int *)context;
    ck_assert_int_eq(step->night.whole, 1);
    ck_assert_int_eq(sqlite3_open(path, &writer), SQLITE_OK);
    const int asked =
        sqlite3_exec(writer, "BEGIN IMMEDIATE; DELETE FROM change; COMMIT;", NULL, NULL, NULL);
    ck_assert_int_eq(asked, SQLITE_BUSY); /* it waits until the reader is done */
    sqlite3_close(writer);
    return HN_OK;
}

START_TEST(reader_sees_one_moment)
{
    struct rp_history *history;
    struct hn_error error;
    int walked = 0;

    for (int night = 0; night < NIGHTS; night++)
        add_night(path, night);
    history = open_it(path);
    ck_assert_int_eq(rp_record_walk(history, add_while_walking, &walked, &error), HN_OK);
    ck_assert_int_eq(walked, NIGHTS);
    rp_history_close(history);
}
END_TEST

START_TEST(date_is_a_day_or_a_second)
{
    static const struct {
        const char *date;
        long long seconds;
    } table[] = {{"1970-01-01", 0},
                 {"1970-01-02T00:00:01Z", 86401},
                 {"2000-03-01T00:00:00Z", 951868800},
                 {"2026-11-21T13:48:05Z", 1795268885},
                 {"", -1},
                 {"2026-13-01", -1},
                 {"2026-1-1", -1},
                 {"2026-11-21T", -1},
                 {"2026-11-21T25:00:00Z", -1}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        ck_assert_msg(rp_seconds_of(table[i].date) == table[i].seconds, "%s: %lld", table[i].date,
                      (long long)rp_seconds_of(table[i].date));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("record");
    TCase *test = tcase_create("record");

    tcase_add_checked_fixture(test, setup, teardown);
    tcase_set_timeout(test, 60);
    tcase_add_test(test, record_keeps_verdicts_as_text_and_only_where_they_change);
    tcase_add_test(test, runs_may_come_in_any_order);
    tcase_add_test(test, lines_bring_the_whole_record_and_bring_it_once);
    tcase_add_test(test, merged_history_is_the_one_of_all_runs);
    tcase_add_test(test, line_that_is_wrong_is_named_and_nothing_is_kept);
    tcase_add_test(test, file_that_is_damaged_foreign_or_newer_is_refused_and_stays);
    tcase_add_test(test, run_without_a_date_is_refused);
    tcase_add_test(test, reader_sees_one_moment);
    tcase_add_test(test, date_is_a_day_or_a_second);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
