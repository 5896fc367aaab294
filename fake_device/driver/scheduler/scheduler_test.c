/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the order in which tasks start: order within a stream, slots, priority. The tests do not
 * depend on timing: the slots are occupied by tasks that end when the test releases them.
 */
#include "scheduler.h"

#include "stream_test_support.h"
#include "unit_test.h"

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct stop stop = STOP_INITIALIZER;

/* Occupies all compute slots of device 0. */
static void occupy_slots(void)
{
    for (int i = 0; i < FD_COMPUTE_SLOTS; i++)
        launch_stop(make_stream(0), &stop);
    await_arrivals(&stop, FD_COMPUTE_SLOTS);
}

static fd_stream *make_urgent(int32_t priority)
{
    fd_stream *stream = NULL;
    ck_assert_ok(fd_stream_create(0, priority, &stream));
    ck_assert_int_eq(fd_stream_priority(stream), priority);
    return stream;
}

/* One gate holds several streams in order of rising priority. The task of each stream records the
 * stream's number. All streams become ready together while no slot is free. Then exactly one slot
 * becomes free. */
static void race_for_one_slot(void)
{
    fd_stream *streams[3] = {make_urgent(0), make_urgent(-1), make_urgent(-2)};
    fd_gate *gate = NULL;
    ck_assert_ok(fd_gate_create(&gate));
    for (int i = 0; i < 3; i++) {
        ck_assert_ok(fd_gate_close(gate, streams[i]));
        launch_note(streams[i], &notes, i);
    }
    occupy_slots();
    ck_assert_ok(fd_gate_destroy(gate));
    let_pass(&stop, 1);
    for (int i = 0; i < 3; i++)
        ck_assert_ok(fd_stream_synchronize(streams[i]));
    let_pass(&stop, FD_COMPUTE_SLOTS - 1);
    ck_assert_ok(fd_device_synchronize(0));
}

TEST(slot_goes_to_the_most_urgent_ready_stream)
{
    needs_asynchrony();
    race_for_one_slot();
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(notes.values[i], 2 - i);
}

TEST(slot_among_equals_goes_in_order_of_arrival)
{
    fd_stream *streams[5];
    occupy_slots();
    for (int i = 0; i < 5; i++) {
        streams[i] = make_stream(0);
        launch_note(streams[i], &notes, i);
    }
    let_pass(&stop, 1);
    for (int i = 0; i < 5; i++)
        ck_assert_ok(fd_stream_synchronize(streams[i]));
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(notes.values[i], i);
    let_pass(&stop, FD_COMPUTE_SLOTS - 1);
    ck_assert_ok(fd_device_synchronize(0));
}

static void count_up(void *data)
{
    (*(int *)data)++;
}

TEST(full_slots_stop_neither_other_devices_nor_what_needs_no_slot)
{
    occupy_slots();
    fd_stream *other = make_stream(1), *same = make_stream(0);
    launch_note(other, &notes, 1);
    ck_assert_ok(fd_stream_synchronize(other));
    int called = 0;
    fd_event *event = make_event(0);
    ck_assert_ok(fd_stream_callback(same, count_up, &called));
    ck_assert_ok(fd_event_record(event, same));
    ck_assert_ok(fd_event_synchronize(event));
    ck_assert_int_eq(called, 1);
    launch_note(same, &notes, 2);
    ck_assert_status(fd_stream_query(same), FD_ERROR_NOT_READY);
    let_pass(&stop, FD_COMPUTE_SLOTS);
    ck_assert_ok(fd_device_synchronize(0));
}

TEST(streams_held_at_gates_hold_no_slot)
{
    needs_asynchrony();
    fd_stream *held[2 * FD_COMPUTE_SLOTS];
    fd_gate *gate = NULL;
    ck_assert_ok(fd_gate_create(&gate));
    for (int i = 0; i < 2 * FD_COMPUTE_SLOTS; i++) {
        held[i] = make_stream(0);
        launch_note(held[i], &notes, 1);
        ck_assert_ok(fd_gate_close(gate, held[i]));
        launch_note(held[i], &notes, 2);
    }
    fd_stream *free_stream = make_stream(0);
    launch_note(free_stream, &notes, 3);
    ck_assert_ok(fd_stream_synchronize(free_stream));
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_int_eq(notes.count, 4 * FD_COMPUTE_SLOTS + 1);
}

TEST(order_within_a_stream_is_that_of_the_calls)
{
    fd_stream *stream = make_stream(0);
    for (int i = 0; i < NOTES_MAX; i++)
        launch_note(stream, &notes, i);
    ck_assert_ok(fd_stream_synchronize(stream));
    for (int i = 0; i < NOTES_MAX; i++)
        ck_assert_int_eq(notes.values[i], i);
}
