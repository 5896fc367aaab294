/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the set of live handles.
 */
#include "handle.h"

#include "driver_test.h"

static int finished;

static void count_finish(struct fd_handle *handle)
{
    (void)handle;
    finished++;
}

TEST(acquire_finds_only_live_handles_of_the_kind)
{
    static struct fd_handle handle;
    ck_assert(!fd_handle_acquire(&handle, FD_HANDLE_GATE));
    fd_handle_publish(&handle, FD_HANDLE_GATE, count_finish);
    ck_assert(fd_handle_acquire(&handle, FD_HANDLE_GATE));
    ck_assert(!fd_handle_acquire(&handle, FD_HANDLE_EVENT));
    ck_assert(!fd_handle_acquire((char *)&handle + 1, FD_HANDLE_GATE));
    ck_assert(!fd_handle_acquire(NULL, FD_HANDLE_GATE));
    fd_handle_release(&handle);
    ck_assert(!fd_handle_withdraw(&handle, FD_HANDLE_EVENT));
    ck_assert(fd_handle_withdraw(&handle, FD_HANDLE_GATE));
    ck_assert(!fd_handle_withdraw(&handle, FD_HANDLE_GATE));
    ck_assert(!fd_handle_acquire(&handle, FD_HANDLE_GATE));
    ck_assert_int_eq(finished, 0);
    fd_handle_release(&handle);
    ck_assert_int_eq(finished, 1);
    ck_assert(!fd_handle_share_if_alive(&handle));
    fd_handle_release(NULL);
}

TEST(finish_comes_with_the_last_reference)
{
    static struct fd_handle handle;
    fd_handle_publish(&handle, FD_HANDLE_STREAM, count_finish);
    fd_handle_share(&handle);
    ck_assert(fd_handle_share_if_alive(&handle));
    ck_assert(fd_handle_withdraw(&handle, FD_HANDLE_STREAM));
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(finished, 0);
        fd_handle_release(&handle);
    }
    ck_assert_int_eq(finished, 1);
}

TEST(withdraw_among_thousands_takes_the_right_one)
{
    static struct fd_handle handles[5000];
    for (int i = 0; i < 5000; i++)
        fd_handle_publish(&handles[i], FD_HANDLE_EVENT, count_finish);
    for (int i = 0; i < 5000; i += 2)
        ck_assert(fd_handle_withdraw(&handles[i], FD_HANDLE_EVENT));
    for (int i = 0; i < 5000; i++)
        ck_assert_int_eq(fd_handle_acquire(&handles[i], FD_HANDLE_EVENT), i % 2);
}
