/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of last_run.c: finds the last run that was started in a folder, wherever the run is.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "last_run.h"
#include "test_folder.h"
#include "unit_test.h"

static char before[PATH_MAX];

static void setup(void)
{
    test_folder_make();
    ck_assert_ptr_nonnull(realpath(".", before));
    ck_assert_int_eq(chdir(test_folder), 0);
    setenv("XDG_CACHE_HOME", test_path("cache"), 1);
}

static void teardown(void)
{
    unsetenv("XDG_CACHE_HOME");
    unsetenv("TMPDIR");
    ck_assert_int_eq(chdir(before), 0);
    test_folder_remove();
}

TEST_FIXTURE(setup, teardown);

/* Makes a run whose plan was written at this second. */
static void make_run(const char *folder, time_t second)
{
    char path[HN_PATH_SIZE];
    const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
    ck_assert_int_eq(hn_dir_make(folder, NULL), HN_OK);
    snprintf(path, sizeof path, "%s/plan.json", folder);
    ck_assert_int_eq(hn_file_write(path, "{}", 2, NULL), HN_OK);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static const char *found(void)
{
    static char path[HN_PATH_SIZE];
    hn_last_run_find("runs", path);
    return strncmp(path, test_folder, strlen(test_folder)) == 0 ? path + strlen(test_folder) : path;
}

TEST(last_run_is_the_link_if_nothing_is_remembered)
{
    ck_assert_str_eq(found(), "runs/last");
}

TEST(last_run_is_the_one_that_was_begun_later)
{
    make_run("first", 200);
    hn_last_run_remember("first");
    ck_assert_str_eq(found(), "/first");
    make_run("runs/last", 100);
    ck_assert_str_eq(found(), "/first");
    make_run("runs/last", 300);
    ck_assert_str_eq(found(), "runs/last");
}

TEST(last_run_that_was_removed_is_forgotten)
{
    make_run("first", 200);
    hn_last_run_remember("first");
    ck_assert_int_eq(unlink("first/plan.json"), 0);
    ck_assert_str_eq(found(), "runs/last");
}

TEST(last_run_of_another_folder_is_not_taken)
{
    make_run("first", 200);
    hn_last_run_remember("first");
    ck_assert_int_eq(mkdir("deep", 0700), 0);
    ck_assert_int_eq(chdir("deep"), 0);
    ck_assert_str_eq(found(), "runs/last");
}

TEST(last_run_is_in_a_private_folder_if_the_cache_cannot_be_written)
{
    char cache[64];
    snprintf(cache, sizeof cache, "assay-cache-%u", (unsigned)getuid());
    make_run("first", 200);
    setenv("XDG_CACHE_HOME", "/proc/self/none", 1);
    setenv("TMPDIR", test_folder, 1);
    hn_last_run_remember("first");
    ck_assert_str_eq(found(), "/first");
    ck_assert_int_eq(chmod(cache, 0777), 0); /* every user could write there */
    ck_assert_str_eq(found(), "runs/last");
    setenv("TMPDIR", "/proc/self/none", 1);
    hn_last_run_remember("first");
    ck_assert_str_eq(found(), "runs/last");
}
