/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the life cycle and identity of streams.
 */
#include "stream.h"

#include "stream_test_support.h"
#include "unit_test.h"

TEST(default_is_the_same_for_every_caller_and_has_id_zero)
{
    needs_two_devices();
    fd_stream *first = NULL, *again = NULL, *other = NULL;
    ck_assert_ok(fd_stream_default(0, &first));
    ck_assert_ok(fd_stream_default(0, &again));
    ck_assert_ok(fd_stream_default(1, &other));
    ck_assert_ptr_eq(first, again);
    ck_assert_ptr_ne(first, other);
    ck_assert_int_eq(fd_stream_id(first), 0);
    ck_assert_int_eq(fd_stream_id(other), 0);
    ck_assert_int_eq(fd_stream_device(other), 1);
    ck_assert_status(fd_stream_destroy(first), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_stream_query(first));
}

TEST(create_gives_ids_that_are_never_reused)
{
    needs_two_devices();
    int64_t last = 0;
    for (int i = 0; i < 1000; i++) {
        fd_stream *stream = make_stream(i % 2), *found = NULL;
        ck_assert_int_gt(fd_stream_id(stream), last);
        last = fd_stream_id(stream);
        ck_assert_ok(fd_stream_from_id(i % 2, last, &found));
        ck_assert_ptr_eq(found, stream);
        ck_assert_status(fd_stream_from_id(!(i % 2), last, &found), FD_ERROR_INVALID_HANDLE);
        ck_assert_ok(fd_stream_destroy(stream));
        ck_assert_status(fd_stream_from_id(i % 2, last, &found), FD_ERROR_INVALID_HANDLE);
    }
}

TEST(from_id_of_the_default_stream_finds_it)
{
    needs_two_devices();
    fd_stream *found = NULL, *expected = NULL;
    ck_assert_ok(fd_stream_from_id(1, 0, &found));
    ck_assert_ok(fd_stream_default(1, &expected));
    ck_assert_ptr_eq(found, expected);
    ck_assert_status(fd_stream_from_id(0, 12345, &found), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_stream_from_id(0, -1, &found), FD_ERROR_INVALID_HANDLE);
    ck_assert_ptr_eq(found, expected);
}

TEST(create_clamps_the_priority)
{
    static const int32_t asked[] = {0, -1, -2, -3, 1, INT32_MIN, INT32_MAX};
    static const int32_t given[] = {0, -1, -2, -2, 0, -2, 0};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        fd_stream *stream = NULL;
        ck_assert_ok(fd_stream_create(0, asked[i], &stream));
        ck_assert_int_eq(fd_stream_priority(stream), given[i]);
    }
}

TEST(create_on_a_device_that_is_not_there_is_refused)
{
    fd_stream *stream = NULL;
    ck_assert_status(fd_stream_create(FD_MAX_DEVICES, 0, &stream), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_stream_create(-1, 0, &stream), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_stream_default(FD_MAX_DEVICES, &stream), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_stream_from_id(-1, 0, &stream), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_stream_get_current(FD_MAX_DEVICES, &stream), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_stream_create(0, 0, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_default(0, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_from_id(0, 0, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(stream);
}

TEST(calls_on_a_dead_or_invented_stream_are_refused)
{
    int not_a_stream = 0;
    fd_stream *dead = make_stream(0);
    ck_assert_ok(fd_stream_destroy(dead));
    fd_stream *const bad[] = {dead, NULL, (fd_stream *)(void *)&not_a_stream,
                              (fd_stream *)(uintptr_t)0x8};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_status(fd_stream_query(bad[i]), FD_ERROR_INVALID_HANDLE);
        ck_assert_status(fd_stream_synchronize(bad[i]), FD_ERROR_INVALID_HANDLE);
        ck_assert_status(fd_stream_set_current(bad[i], NULL), FD_ERROR_INVALID_HANDLE);
        ck_assert_int_eq(fd_stream_id(bad[i]), -1);
        ck_assert_int_eq(fd_stream_device(bad[i]), -1);
    }
    ck_assert_status(fd_stream_destroy(dead), FD_ERROR_INVALID_HANDLE);
    ck_assert_ok(fd_stream_destroy(NULL));
}

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

TEST(destroy_with_work_pending_lets_it_run)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    for (int i = 0; i < 10; i++)
        launch_note(stream, &notes, i);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_int_eq(notes.count, 10);
}

TEST(retain_keeps_a_destroyed_stream_readable)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    ck_assert_ptr_eq(fd_stream_retain(stream), stream);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_ptr_null(fd_stream_retain(stream));
    ck_assert_uint_eq(fd_stream_submitted(stream), 1);
    ck_assert_uint_eq(fd_stream_completed(stream), 0);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_uint_eq(fd_stream_completed(stream), 1);
    fd_stream_release(stream);
    fd_stream_release(NULL);
}
