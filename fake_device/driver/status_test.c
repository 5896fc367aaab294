/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests names and texts of status codes, and the text of the last failure.
 */
#include "driver_test.h"
#include "error.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

TEST(status_name_of_each_code_is_its_own)
{
    for (fd_status a = FD_ERROR_CAPTURING; a <= FD_OK; a++) {
        ck_assert_int_eq(strncmp(fd_status_name(a), "FD_", 3), 0);
        ck_assert_str_ne(fd_status_name(a), fd_status_name(1));
        ck_assert_str_ne(fd_status_text(a), fd_status_text(1));
        for (fd_status b = FD_ERROR_CAPTURING; b < a; b++)
            ck_assert_str_ne(fd_status_name(a), fd_status_name(b));
    }
    ck_assert_str_eq(fd_status_name(FD_ERROR_INDEX), "FD_ERROR_INDEX");
}

TEST(status_name_of_unknown_code_is_unknown)
{
    ck_assert_str_eq(fd_status_name(-1000), "FD_ERROR_UNKNOWN");
    ck_assert_ptr_nonnull(fd_status_text(1));
}

TEST(fail_stores_text_and_returns_status)
{
    ck_assert_str_eq(fd_last_error_text(), "");
    ck_assert_int_eq(fd_fail(FD_ERROR_KERNEL, "kernel %d", 7), FD_ERROR_KERNEL);
    ck_assert_str_eq(fd_last_error_text(), "kernel 7");
}

TEST(fail_with_own_text_as_argument_keeps_it)
{
    (void)fd_fail(FD_ERROR_KERNEL, "inner");
    (void)fd_fail(FD_ERROR_KERNEL, "outer: %s", fd_last_error_text());
    ck_assert_str_eq(fd_last_error_text(), "outer: inner");
}

TEST(fail_with_long_text_cuts_it)
{
    (void)fd_fail(FD_ERROR_KERNEL, "%01000d", 1);
    ck_assert_uint_eq(strlen(fd_last_error_text()), FD_ERROR_TEXT_SIZE - 1);
}

TEST(fail_errno_names_the_system_error)
{
    errno = ENOENT;
    ck_assert_int_eq(fd_fail_errno("open"), FD_ERROR_SYSTEM);
    ck_assert_str_eq(fd_last_error_text(), "open: No such file or directory");
}

static void *read_text(void *unused)
{
    (void)unused;
    return (void *)(uintptr_t)strlen(fd_last_error_text());
}

TEST(last_error_text_in_another_thread_is_empty)
{
    pthread_t thread;
    void *length = NULL;
    (void)fd_fail(FD_ERROR_KERNEL, "mine");
    ck_assert_int_eq(pthread_create(&thread, NULL, read_text, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &length), 0);
    ck_assert_uint_eq((uintptr_t)length, 0);
}
