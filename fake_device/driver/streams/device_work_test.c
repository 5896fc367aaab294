/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests whole devices: synchronisation, pending errors, loss and reset.
 */
#include "stream_test_support.h"
#include "unit_test.h"

#include <string.h>

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

TEST(synchronize_waits_for_all_streams_of_the_device_only)
{
    fd_stream *held = make_stream(1);
    fd_gate *gate = make_gate(held);
    for (int i = 0; i < 8; i++) {
        fd_stream *stream = make_stream(0);
        launch_note(stream, &notes, i);
        ck_assert_ok(fd_stream_destroy(stream));
    }
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_int_eq(notes.count, 8);
    ck_assert_status(fd_stream_query(held), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(1));
    ck_assert_status(fd_stream_query(held), FD_OK);
}

TEST(synchronize_reports_the_oldest_error_once)
{
    fd_stream *first = make_stream(0), *second = make_stream(0);
    fd_event *event = make_event(0);
    launch_failure(first, 1);
    ck_assert_ok(fd_event_record(event, first));
    ck_assert_ok(fd_stream_wait_event(second, event));
    launch_failure(second, 2);
    ck_assert_status(fd_device_synchronize(0), FD_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "number 1 went wrong"));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_stream_synchronize(second));
}

TEST(synchronize_reports_the_error_of_a_destroyed_stream)
{
    fd_stream *stream = make_stream(1);
    launch_failure(stream, 4);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_status(fd_device_synchronize(1), FD_ERROR_KERNEL);
    ck_assert_ok(fd_device_synchronize(1));
}

/* ---- a lost device --------------------------------------------------------------------------- */

struct waiter {
    fd_stream *stream;
    fd_event *event;
    fd_status status;
};

static void *wait_for_stream(void *argument)
{
    struct waiter *waiter = argument;
    waiter->status = fd_stream_synchronize(waiter->stream);
    return NULL;
}

static void *wait_for_event(void *argument)
{
    struct waiter *waiter = argument;
    waiter->status = fd_event_synchronize(waiter->event);
    return NULL;
}

static void count_up(void *data)
{
    (*(int *)data)++;
}

TEST(lose_releases_waiters_with_the_error)
{
    fd_stream *lost = make_stream(0), *other = make_stream(1);
    fd_event *event = make_event(0);
    fd_gate *gate = make_gate(lost);
    launch_note(lost, &notes, 1);
    ck_assert_ok(fd_event_record(event, lost));
    ck_assert_ok(fd_stream_wait_event(other, event));
    launch_note(other, &notes, 2);
    struct waiter waiters[] = {{lost, event, FD_OK}, {lost, event, FD_OK}};
    pthread_t threads[2];
    ck_assert_int_eq(pthread_create(&threads[0], NULL, wait_for_stream, &waiters[0]), 0);
    ck_assert_int_eq(pthread_create(&threads[1], NULL, wait_for_event, &waiters[1]), 0);

    ck_assert_ok(fd_device_lose(0));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
        ck_assert_int_eq(waiters[i].status, FD_ERROR_DEVICE_LOST);
    }
    ck_assert_status(fd_stream_synchronize(other), FD_ERROR_DEVICE_LOST);
    ck_assert_ok(fd_stream_synchronize(other));
    ck_assert_int_eq(notes.count, 1);
    ck_assert_int_eq(notes.values[0], 2);
    ck_assert_ok(fd_gate_destroy(gate));
}

TEST(lose_makes_calls_fail_until_reset)
{
    fd_stream *stream = make_stream(0), *made = NULL;
    fd_event *event = make_event(0), *after = make_event(0);
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_ok(fd_device_lose(0));
    ck_assert_status(fd_stream_query(stream), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_stream_create(0, 0, &made), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_event_record(after, stream), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_event_query(event), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_gate_close(gate, stream), FD_ERROR_DEVICE_LOST);
    ck_assert_status(fd_device_synchronize(0), FD_ERROR_DEVICE_LOST);

    ck_assert_ok(fd_device_reset(0));
    ck_assert_ok(fd_stream_synchronize(stream));
    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_ok(fd_event_synchronize(event));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_int_eq(notes.count, 1);
    ck_assert_ok(fd_gate_destroy(gate));
}

TEST(lose_drops_work_but_not_host_callbacks)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    int called = 0;
    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_stream_callback(stream, count_up, &called));
    launch_note(stream, &notes, 2);
    ck_assert_ok(fd_stream_callback(stream, count_up, &called));
    ck_assert_ok(fd_device_lose(0));
    ck_assert_ok(fd_stream_callback(stream, count_up, &called));
    ck_assert_ok(fd_device_reset(0));
    ck_assert_int_eq(called, 3);
    ck_assert_int_eq(notes.count, 0);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_ok(fd_gate_destroy(gate));
}

TEST(lose_takes_back_what_waits_for_a_slot)
{
    struct stop stop = STOP_INITIALIZER;
    for (int i = 0; i < 8; i++)
        launch_stop(make_stream(0), &stop);
    await_arrivals(&stop, 4);
    ck_assert_ok(fd_device_lose(0));
    let_pass(&stop, 4);
    ck_assert_ok(fd_device_reset(0));
    ck_assert_int_eq(stop.arrived, 4);
    /* All slots are free again. */
    for (int i = 0; i < 4; i++)
        launch_stop(make_stream(0), &stop);
    await_arrivals(&stop, 8);
    let_pass(&stop, 4);
    ck_assert_ok(fd_device_synchronize(0));
}
