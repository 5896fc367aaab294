/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that a gate holds exactly the streams on which the gate was enqueued, and only while the
 * gate is closed.
 */
#include "settings.h"
#include "stream_test_support.h"
#include "unit_test.h"

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void once_with_a_gate(fd_stream *held, fd_stream *free_stream)
{
    notes.count = 0;
    fd_gate *gate = make_gate(held);
    launch_note(held, &notes, 1);
    launch_note(held, &notes, 2);
    launch_note(free_stream, &notes, 0);
    ck_assert_ok(fd_stream_synchronize(free_stream));
    ck_assert_status(fd_stream_query(held), FD_ERROR_NOT_READY);
    ck_assert_status(fd_stream_query(free_stream), FD_OK);
    pthread_mutex_lock(&notes.lock);
    ck_assert_int_eq(notes.count, 1);
    pthread_mutex_unlock(&notes.lock);

    ck_assert_ok(fd_gate_open(gate));
    ck_assert_ok(fd_stream_synchronize(held));
    ck_assert_status(fd_stream_query(held), FD_OK);
    ck_assert_int_eq(notes.count, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(notes.values[i], i);
    ck_assert_ok(fd_gate_destroy(gate));
}

TEST(close_a_thousand_times_holds_one_stream_and_keeps_order)
{
    fd_stream *held = make_stream(0), *free_stream = make_stream(0);
    for (int i = 0; i < 1000; i++)
        once_with_a_gate(held, free_stream);
    ck_assert_ok(fd_stream_destroy(held));
    ck_assert_ok(fd_stream_destroy(free_stream));
}

TEST(open_one_gate_releases_all_its_streams)
{
    needs_asynchrony();
    fd_stream *streams[4];
    fd_gate *gate = NULL;
    ck_assert_ok(fd_gate_create(&gate));
    for (int i = 0; i < 4; i++) {
        streams[i] = make_stream(i % 2);
        ck_assert_ok(fd_gate_close(gate, streams[i]));
        launch_note(streams[i], &notes, i);
        ck_assert_status(fd_stream_query(streams[i]), FD_ERROR_NOT_READY);
    }
    ck_assert_ok(fd_gate_open(gate));
    for (int i = 0; i < 4; i++)
        ck_assert_ok(fd_stream_synchronize(streams[i]));
    ck_assert_int_eq(notes.count, 4);
}

TEST(close_an_open_gate_holds_nothing)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_gate_open(gate));
    ck_assert_ok(fd_gate_open(gate));
    ck_assert_ok(fd_gate_close(gate, stream));
    ck_assert_ok(fd_stream_synchronize(stream));
}

TEST(destroy_with_streams_waiting_releases_them)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    launch_note(stream, &notes, 7);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_int_eq(notes.values[0], 7);
    ck_assert_ok(fd_gate_destroy(NULL));
}

TEST(calls_on_a_dead_gate_are_refused)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_status(fd_gate_open(gate), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_gate_close(gate, stream), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_gate_destroy(gate), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_gate_open(NULL), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_gate_open((fd_gate *)stream), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_gate_create(NULL), FD_ERROR_INVALID_VALUE);
}

TEST(close_on_an_eager_device_is_refused)
{
    fd_settings_for_tests()->eager_streams = 1;
    fd_stream *stream = make_stream(0);
    fd_gate *gate = NULL;
    ck_assert_ok(fd_gate_create(&gate));
    ck_assert_status(fd_gate_close(gate, stream), FD_ERROR_NOT_SUPPORTED);
    ck_assert_ok(fd_stream_query(stream));
    ck_assert_ok(fd_gate_destroy(gate));
    fd_settings_for_tests()->eager_streams = 0;
}
