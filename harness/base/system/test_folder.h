/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For test programs: an empty folder for each test, TEST_FIXTURE(test_folder_make,
 * test_folder_remove). The folder of a failed test is not removed, so that it can be inspected.
 */
#ifndef HN_TEST_FOLDER_H
#define HN_TEST_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "file.h"
#include "unit_test.h"

static char test_folder[] = "/tmp/assay-test-XXXXXX";

static inline void test_folder_make(void)
{
    snprintf(test_folder, sizeof test_folder, "/tmp/assay-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(test_folder));
}

static inline int test_folder_remove_one(const char *path, const struct stat *facts, int kind,
                                         struct FTW *walk)
{
    (void)facts;
    (void)kind;
    (void)walk;
    return remove(path);
}

static inline void test_folder_remove(void)
{
    nftw(test_folder, test_folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Returns "<the folder>/name", valid until the next call. */
static inline const char *test_path(const char *name)
{
    static char path[HN_PATH_SIZE];
    ck_assert_int_eq(hn_path_join(path, sizeof path, test_folder, name, NULL), HN_OK);
    return path;
}

static inline void test_write(const char *name, const char *text, size_t length)
{
    ck_assert_int_eq(hn_file_write(test_path(name), text, length, NULL), HN_OK);
}

#endif
