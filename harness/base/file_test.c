/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files and folders, in a folder of the test's own.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"

static char folder[] = "/tmp/hn_file_test_XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[HN_PATH_SIZE];

    ck_assert_int_eq(hn_path_join(path, sizeof path, folder, name, NULL), HN_OK);
    return path;
}

START_TEST(file_read_gives_back_what_was_written)
{
    struct hn_error error;
    char *text = NULL;
    size_t length = 0;

    ck_assert_int_eq(hn_file_write(in_folder("a"), "x\0y", 3, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(in_folder("a"), 3, &text, &length, &error), HN_OK);
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(text, "x\0y", 4);
    free(text);
    ck_assert_int_eq(hn_file_write(in_folder("a"), "new", 3, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(in_folder("a"), 10, &text, &length, &error), HN_OK);
    ck_assert_str_eq(text, "new");
    free(text);
}
END_TEST

START_TEST(file_read_over_the_limit_is_refused)
{
    struct hn_error error;
    char *text = NULL, big[9000];
    size_t length = 0;

    memset(big, 'x', sizeof big);
    ck_assert_int_eq(hn_file_write(in_folder("big"), big, sizeof big, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(in_folder("big"), sizeof big - 1, &text, &length, &error),
                     HN_ELIMIT);
    ck_assert_ptr_null(text);
    ck_assert_int_eq(hn_file_read(in_folder("big"), sizeof big, &text, &length, &error), HN_OK);
    ck_assert_uint_eq(length, sizeof big);
    free(text);
}
END_TEST

START_TEST(file_read_of_what_is_no_file_is_refused_at_once)
{
    struct hn_error error;
    char *text = NULL;
    size_t length = 0;

    ck_assert_int_eq(mkfifo(in_folder("pipe"), 0600), 0);
    ck_assert_int_eq(hn_file_read(in_folder("pipe"), 9, &text, &length, &error), HN_EINPUT);
    ck_assert_int_eq(hn_file_read(folder, 9, &text, &length, &error), HN_EINPUT);
    ck_assert_int_eq(hn_file_read(in_folder("none"), 9, &text, &length, &error), HN_ENOTFOUND);
}
END_TEST

START_TEST(file_write_that_fails_leaves_the_old_content)
{
    struct hn_error error;
    char path[HN_PATH_SIZE];

    snprintf(path, sizeof path, "%s/absent/file", folder);
    ck_assert_int_eq(hn_file_write(path, "x", 1, &error), HN_ENOTFOUND);
    ck_assert_int_eq(hn_dir_make(in_folder("taken"), &error), HN_OK);
    ck_assert_int_eq(hn_file_write(in_folder("taken"), "x", 1, &error), HN_ESYSTEM);
    snprintf(path, sizeof path, "%s.%ld.new", in_folder("taken"), (long)getpid());
    ck_assert_int_eq(hn_path_exists(path), 0);
}
END_TEST

START_TEST(dir_make_makes_parents_and_accepts_what_is_there)
{
    struct hn_error error;

    ck_assert_int_eq(hn_dir_make(in_folder("p/q/r"), &error), HN_OK);
    ck_assert_int_eq(hn_dir_make(in_folder("p/q/r"), &error), HN_OK);
    ck_assert_int_eq(hn_path_exists(in_folder("p/q/r")), 1);
    ck_assert_int_eq(hn_file_write(in_folder("plain"), "", 0, &error), HN_OK);
    ck_assert_int_ne(hn_dir_make(in_folder("plain/below"), &error), HN_OK);
    ck_assert_int_ne(hn_dir_make(in_folder("plain"), &error), HN_OK);
}
END_TEST

START_TEST(path_join_that_does_not_fit_is_refused)
{
    char path[8];

    ck_assert_int_eq(hn_path_join(path, sizeof path, "abc", "def", NULL), HN_OK);
    ck_assert_str_eq(path, "abc/def");
    ck_assert_int_eq(hn_path_join(path, sizeof path, "abcd", "def", NULL), HN_ELIMIT);
    ck_assert_int_eq(hn_path_join(path, sizeof path, "abcd", "/root", NULL), HN_OK);
    ck_assert_str_eq(path, "/root");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("file");
    TCase *test = tcase_create("file");

    if (!mkdtemp(folder))
        return 1;
    tcase_add_test(test, file_read_gives_back_what_was_written);
    tcase_add_test(test, file_read_over_the_limit_is_refused);
    tcase_add_test(test, file_read_of_what_is_no_file_is_refused_at_once);
    tcase_add_test(test, file_write_that_fails_leaves_the_old_content);
    tcase_add_test(test, dir_make_makes_parents_and_accepts_what_is_there);
    tcase_add_test(test, path_join_that_does_not_fit_is_refused);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
