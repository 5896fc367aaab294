/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that each thread has its own current stream for each device, and that this stream may be
 * destroyed.
 */
#include "stream_test_support.h"
#include "unit_test.h"

static fd_stream *current(int32_t device)
{
    fd_stream *stream = NULL;
    ck_assert_ok(fd_stream_get_current(device, &stream));
    return stream;
}

static fd_stream *default_of(int32_t device)
{
    fd_stream *stream = NULL;
    ck_assert_ok(fd_stream_default(device, &stream));
    return stream;
}

TEST(get_current_at_first_is_the_default)
{
    needs_two_devices();
    ck_assert_ptr_eq(current(0), default_of(0));
    ck_assert_ptr_eq(current(1), default_of(1));
    ck_assert_status(fd_stream_get_current(0, NULL), FD_ERROR_INVALID_VALUE);
}

TEST(set_current_returns_the_previous_and_leaves_other_devices)
{
    fd_stream *mine = make_stream(1), *previous = NULL;
    ck_assert_ok(fd_stream_set_current(mine, &previous));
    ck_assert_ptr_eq(previous, default_of(1));
    ck_assert_ptr_eq(current(1), mine);
    ck_assert_ptr_eq(current(0), default_of(0));
    ck_assert_ok(fd_stream_set_current(previous, &previous));
    ck_assert_ptr_eq(previous, mine);
    ck_assert_ptr_eq(current(1), default_of(1));
    int32_t device = -1;
    ck_assert_ok(fd_device_get(&device));
    ck_assert_int_eq(device, 0);
}

TEST(get_current_after_its_destruction_is_the_default)
{
    fd_stream *mine = make_stream(0);
    ck_assert_ok(fd_stream_set_current(mine, NULL));
    ck_assert_ok(fd_stream_destroy(mine));
    ck_assert_ptr_eq(current(0), default_of(0));
}

static void *current_of_thread(void *argument)
{
    fd_stream *stream = NULL;
    (void)argument;
    return fd_stream_get_current(0, &stream) == FD_OK ? stream : NULL;
}

static fd_stream *current_in_another_thread(void)
{
    pthread_t thread;
    void *stream = NULL;
    ck_assert_int_eq(pthread_create(&thread, NULL, current_of_thread, NULL), 0);
    ck_assert_int_eq(pthread_join(thread, &stream), 0);
    return stream;
}

TEST(set_current_is_not_seen_by_other_threads)
{
    ck_assert_ok(fd_stream_set_current(make_stream(0), NULL));
    ck_assert_ptr_eq(current_in_another_thread(), default_of(0));
}
