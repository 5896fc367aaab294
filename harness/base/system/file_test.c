/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of files and folders. Each test works in its own empty folder.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_folder.h"
#include "unit_test.h"

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST(file_read_gives_back_what_was_written)
{
    struct hn_error error;
    char *text = NULL;
    size_t length = 0;
    ck_assert_int_eq(hn_file_write(test_path("a"), "x\0y", 3, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(test_path("a"), 3, &text, &length, &error), HN_OK);
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(text, "x\0y", 4);
    free(text);
    ck_assert_int_eq(hn_file_write(test_path("a"), "new", 3, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(test_path("a"), 10, &text, &length, &error), HN_OK);
    ck_assert_str_eq(text, "new");
    free(text);
}

TEST(file_read_over_the_limit_is_refused)
{
    struct hn_error error;
    char *text = NULL, big[9000];
    size_t length = 0;
    memset(big, 'x', sizeof big);
    ck_assert_int_eq(hn_file_write(test_path("big"), big, sizeof big, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(test_path("big"), sizeof big - 1, &text, &length, &error),
                     HN_ELIMIT);
    ck_assert_ptr_null(text);
    ck_assert_int_eq(hn_file_read(test_path("big"), sizeof big, &text, &length, &error), HN_OK);
    ck_assert_uint_eq(length, sizeof big);
    free(text);
}

TEST(file_read_of_what_is_no_file_is_refused_at_once)
{
    struct hn_error error;
    char *text = NULL;
    size_t length = 0;
    ck_assert_int_eq(mkfifo(test_path("pipe"), 0600), 0);
    ck_assert_int_eq(hn_file_read(test_path("pipe"), 9, &text, &length, &error), HN_EINPUT);
    ck_assert_int_eq(hn_file_read(test_folder, 9, &text, &length, &error), HN_EINPUT);
    ck_assert_int_eq(hn_file_read(test_path("none"), 9, &text, &length, &error), HN_ENOTFOUND);
}

TEST(file_write_that_fails_leaves_the_old_content)
{
    struct hn_error error;
    char path[HN_PATH_SIZE + 32];
    ck_assert_int_eq(hn_file_write(test_path("absent/file"), "x", 1, &error), HN_ESYSTEM);
    ck_assert_int_eq(hn_dir_make(test_path("taken"), &error), HN_OK);
    ck_assert_int_eq(hn_file_write(test_path("taken"), "x", 1, &error), HN_ESYSTEM);
    snprintf(path, sizeof path, "%s.%ld.new", test_path("taken"), (long)getpid());
    ck_assert_int_eq(hn_path_exists(path), 0);
}

TEST(file_write_names_the_folder_that_is_missing)
{
    struct hn_error error;
    ck_assert_int_eq(hn_file_write(test_path("none/x.html"), "x", 1, &error), HN_ESYSTEM);
    ck_assert_msg(strstr(error.text, "none/x.html: the folder "), "%s", error.text);
    ck_assert_msg(strstr(error.text, "none does not exist"), "%s", error.text);
}

TEST(file_write_leaves_a_device_a_pipe_and_a_link_what_they_are)
{
    struct hn_error error;
    struct stat facts;
    char text[8] = "";
    ck_assert_int_eq(hn_file_write("/dev/null", "x", 1, &error), HN_OK);
    ck_assert_int_eq(stat("/dev/null", &facts), 0);
    ck_assert(S_ISCHR(facts.st_mode));

    ck_assert_int_eq(mkfifo(test_path("pipe"), 0600), 0);
    const int reader = open(test_path("pipe"), O_RDONLY | O_NONBLOCK);
    ck_assert_int_eq(hn_file_write(test_path("pipe"), "words", 5, &error), HN_OK);
    ck_assert_int_eq(read(reader, text, sizeof text), 5);
    close(reader);
    ck_assert_int_eq(lstat(test_path("pipe"), &facts), 0);
    ck_assert(S_ISFIFO(facts.st_mode));

    ck_assert_int_eq(hn_file_write(test_path("end"), "old", 3, &error), HN_OK);
    ck_assert_int_eq(symlink("end", test_path("link")), 0);
    ck_assert_int_eq(hn_file_write(test_path("link"), "newer", 5, &error), HN_OK);
    ck_assert_int_eq(lstat(test_path("link"), &facts), 0);
    ck_assert(S_ISLNK(facts.st_mode));
    ck_assert_int_eq(stat(test_path("end"), &facts), 0);
    ck_assert_int_eq(facts.st_size, 5);
}

TEST(file_output_replaces_no_file_that_was_read)
{
    struct hn_error error;
    char *text = NULL;
    ck_assert_int_eq(hn_file_write(test_path("in"), "in", 2, &error), HN_OK);
    ck_assert_int_eq(symlink("in", test_path("link")), 0);
    ck_assert_int_eq(hn_file_read(test_path("in"), 9, &text, NULL, &error), HN_OK);
    free(text);
    ck_assert_int_eq(hn_file_output(test_path("in"), "out", 3, &error), HN_EINPUT);
    ck_assert_int_eq(hn_file_output(test_path("link"), "out", 3, &error), HN_EINPUT);
    ck_assert_int_eq(hn_file_output(test_path("other"), "out", 3, &error), HN_OK);
    ck_assert_int_eq(hn_file_read(test_path("in"), 2, &text, NULL, &error), HN_OK);
    ck_assert_str_eq(text, "in");
    free(text);
    ck_assert_int_eq(mkfifo(test_path("pipe"), 0600), 0);
    ck_assert_int_eq(hn_file_output(test_path("pipe"), "out", 3, &error), HN_ESYSTEM);
}

TEST(dir_make_makes_parents_and_accepts_what_is_there)
{
    struct hn_error error;
    ck_assert_int_eq(hn_dir_make(test_path("p/q/r"), &error), HN_OK);
    ck_assert_int_eq(hn_dir_make(test_path("p/q/r"), &error), HN_OK);
    ck_assert_int_eq(hn_path_exists(test_path("p/q/r")), 1);
    ck_assert_int_eq(hn_file_write(test_path("plain"), "", 0, &error), HN_OK);
    ck_assert_int_ne(hn_dir_make(test_path("plain/below"), &error), HN_OK);
    ck_assert_int_ne(hn_dir_make(test_path("plain"), &error), HN_OK);
}

TEST(path_join_that_does_not_fit_is_refused)
{
    char path[8];
    ck_assert_int_eq(hn_path_join(path, sizeof path, "abc", "def", NULL), HN_OK);
    ck_assert_str_eq(path, "abc/def");
    ck_assert_int_eq(hn_path_join(path, sizeof path, "abcd", "def", NULL), HN_ELIMIT);
    ck_assert_int_eq(hn_path_join(path, sizeof path, "abcd", "/root", NULL), HN_OK);
    ck_assert_str_eq(path, "/root");
}
