/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests pending asynchronous errors.
 */
#include "stream_error.h"

#include "driver_test.h"

#include <string.h>

TEST(put_keeps_the_first_error)
{
    struct fd_async_error error = {.status = FD_OK}, taken;
    fd_async_error_put(&error, FD_ERROR_KERNEL, 3, "first", 7, "because");
    fd_async_error_put(&error, FD_ERROR_INDEX, 4, "second", 7, "of that");
    fd_async_error_take(&error, UINT64_MAX, &taken);
    ck_assert_status(taken.status, FD_ERROR_KERNEL);
    ck_assert_uint_eq(taken.sequence, 3);
    ck_assert_str_eq(taken.text, "task first (number 3 of stream 7): because");
    fd_async_error_take(&error, UINT64_MAX, &taken);
    ck_assert_status(taken.status, FD_OK);
}

TEST(take_leaves_the_error_of_a_later_task)
{
    struct fd_async_error error = {.status = FD_OK}, taken;
    fd_async_error_put(&error, FD_ERROR_KERNEL, 3, "task", 0, "");
    fd_async_error_take(&error, 2, &taken);
    ck_assert_status(taken.status, FD_OK);
    fd_async_error_take(&error, 3, &taken);
    ck_assert_status(taken.status, FD_ERROR_KERNEL);
}

TEST(keep_oldest_prefers_the_first_in_time)
{
    struct fd_async_error first = {.status = FD_OK}, second = first, oldest = first, none = first;
    fd_async_error_put(&first, FD_ERROR_KERNEL, 9, "first", 1, "");
    fd_async_error_put(&second, FD_ERROR_INDEX, 1, "second", 2, "");
    fd_async_error_keep_oldest(&oldest, &second);
    fd_async_error_keep_oldest(&oldest, &none);
    fd_async_error_keep_oldest(&oldest, &first);
    fd_async_error_keep_oldest(&oldest, &second);
    ck_assert_status(oldest.status, FD_ERROR_KERNEL);
}

TEST(report_makes_it_the_failure_of_the_thread)
{
    struct fd_async_error error = {.status = FD_OK};
    ck_assert_status(fd_async_error_report(&error), FD_OK);
    fd_async_error_put(&error, FD_ERROR_INDEX, 1, "gather", 2, "index 5 of 3");
    ck_assert_status(fd_async_error_report(&error), FD_ERROR_INDEX);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "index 5 of 3"));
}

TEST(put_cuts_a_long_text)
{
    struct fd_async_error error = {.status = FD_OK};
    char text[1000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fd_async_error_put(&error, FD_ERROR_KERNEL, 1, "long", 0, text);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
}
