/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The journal: what was appended is read back, whatever the last breath of the writer left.
 */
#include "journal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "test_folder.h"

static const char *path;

static void begin(void)
{
    test_folder_make();
    path = test_path("journal.jsonl");
}

static const char *const lines[] = {
    "{\"event\":\"run\",\"schema\":\"assay/journal/1\",\"checks\":[{\"id\":\"a.b\"}]}",
    "{\"event\":\"start\",\"id\":\"a.b\",\"attempt\":1}",
    "{\"event\":\"end\",\"id\":\"a.b\",\"verdict\":\"pass\",\"reason\":\"\xc3\xa9\"}",
    "{\"event\":\"finish\",\"complete\":true}",
};
#define LINES (sizeof lines / sizeof *lines)

static void write_all(void)
{
    struct hn_journal journal;
    struct hn_error error = {0};
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    for (size_t i = 0; i < LINES; i++)
        ck_assert_int_eq(hn_journal_append(&journal, lines[i], strlen(lines[i]), &error), HN_OK);
    hn_journal_close(&journal);
}

static int count(void *context, const struct hn_json *record, struct hn_error *error)
{
    const char *event;
    ++*(size_t *)context;
    return hn_json_text(record, "event", &event, error);
}

START_TEST(read_whole_journal_gives_every_line)
{
    size_t seen = 0;
    int torn = 1;
    struct hn_error error = {0};
    write_all();
    ck_assert_int_eq(hn_journal_read(path, count, &seen, &torn, &error), HN_OK);
    ck_assert_uint_eq(seen, LINES);
    ck_assert_int_eq(torn, 0);
}
END_TEST

static size_t whole_lines(size_t bytes)
{
    size_t whole = 0, end = 0;
    for (size_t i = 0; i < LINES; i++) {
        end += strlen(lines[i]) + 1;
        whole += end <= bytes;
    }
    return whole;
}

START_TEST(read_journal_cut_at_every_byte_gives_the_whole_lines)
{
    struct hn_error error = {0};
    write_all();
    const int file = open(path, O_WRONLY);
    for (off_t size = lseek(file, 0, SEEK_END); size >= 0; size--) {
        size_t seen = 0;
        ck_assert_int_eq(ftruncate(file, size), 0);
        ck_assert_int_eq(hn_journal_read(path, count, &seen, NULL, &error), HN_OK);
        ck_assert_uint_eq(seen, whole_lines((size_t)size));
    }
    close(file);
}
END_TEST

START_TEST(reopen_torn_journal_goes_on_behind_the_last_whole_line)
{
    struct hn_journal journal;
    struct hn_error error = {0};
    size_t seen = 0;
    write_all();
    ck_assert_int_eq(truncate(path, (off_t)strlen(lines[0]) + 9), 0);
    ck_assert_int_eq(hn_journal_reopen(&journal, path, &error), HN_OK);
    ck_assert_int_eq(hn_journal_append(&journal, lines[3], strlen(lines[3]), &error), HN_OK);
    hn_journal_close(&journal);
    ck_assert_int_eq(hn_journal_read(path, count, &seen, NULL, &error), HN_OK);
    ck_assert_uint_eq(seen, 2);
}
END_TEST

START_TEST(create_existing_journal_is_refused)
{
    struct hn_journal journal;
    struct hn_error error = {0};
    write_all();
    ck_assert_int_ne(hn_journal_create(&journal, path, &error), HN_OK);
    ck_assert_ptr_nonnull(strstr(error.text, "journal.jsonl"));
}
END_TEST

START_TEST(reopen_journal_in_use_is_refused)
{
    struct hn_journal first, second;
    struct hn_error error = {0};
    write_all();
    ck_assert_int_eq(hn_journal_reopen(&first, path, &error), HN_OK);
    ck_assert_int_eq(hn_journal_reopen(&second, path, &error), HN_EINPUT);
    hn_journal_close(&first);
}
END_TEST

START_TEST(read_garbage_in_the_middle_names_its_line)
{
    size_t seen = 0;
    struct hn_error error = {0};
    struct hn_journal journal;
    ck_assert_int_eq(hn_journal_create(&journal, path, &error), HN_OK);
    hn_journal_append(&journal, lines[0], strlen(lines[0]), &error);
    hn_journal_append(&journal, "{nonsense", 9, &error);
    hn_journal_append(&journal, lines[3], strlen(lines[3]), &error);
    hn_journal_close(&journal);
    ck_assert_int_eq(hn_journal_read(path, count, &seen, NULL, &error), HN_EINPUT);
    ck_assert_int_eq(error.line, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal");
    TCase *tcase = tcase_create("journal");
    tcase_add_checked_fixture(tcase, begin, test_folder_remove);
    tcase_add_test(tcase, read_whole_journal_gives_every_line);
    tcase_add_test(tcase, read_journal_cut_at_every_byte_gives_the_whole_lines);
    tcase_add_test(tcase, reopen_torn_journal_goes_on_behind_the_last_whole_line);
    tcase_add_test(tcase, create_existing_journal_is_refused);
    tcase_add_test(tcase, reopen_journal_in_use_is_refused);
    tcase_add_test(tcase, read_garbage_in_the_middle_names_its_line);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
