/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests events: versions, waits across streams and devices, elapsed time, destruction with work
 * pending.
 */
#include "stream_test_support.h"
#include "unit_test.h"

#include <string.h>

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

TEST(query_of_an_unrecorded_event_is_done)
{
    fd_event *event = make_event(0);
    fd_stream *stream = make_stream(0);
    ck_assert_status(fd_event_query(event), FD_OK);
    ck_assert_ok(fd_event_synchronize(event));
    ck_assert_int_eq(fd_event_device(event), -1);
    ck_assert_ok(fd_stream_wait_event(stream, event));
    ck_assert_status(fd_stream_query(stream), FD_OK);
    ck_assert_ok(fd_event_destroy(event));
}

TEST(query_is_not_ready_until_the_queue_has_come_there)
{
    fd_stream *stream = make_stream(1);
    fd_event *event = make_event(0);
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_int_eq(fd_event_device(event), 1);
    ck_assert_status(fd_event_query(event), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_event_synchronize(event));
    ck_assert_status(fd_event_query(event), FD_OK);
}

TEST(record_again_starts_a_new_version)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_ok(fd_event_synchronize(event));
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_status(fd_event_query(event), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_event_synchronize(event));
}

TEST(wait_takes_the_version_of_the_call)
{
    fd_stream *recording = make_stream(0), *waiting = make_stream(1);
    fd_event *event = make_event(0);
    fd_gate *first = make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    fd_gate *second = make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_status(fd_stream_query(waiting), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(first));
    ck_assert_ok(fd_stream_synchronize(waiting));
    ck_assert_status(fd_event_query(event), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(second));
    ck_assert_ok(fd_event_synchronize(event));
}

TEST(wait_for_a_version_that_is_overtaken_by_the_next_still_waits)
{
    fd_stream *slow = make_stream(0), *fast = make_stream(0), *waiting = make_stream(0);
    fd_event *event = make_event(0);
    fd_gate *gate = make_gate(slow);
    ck_assert_ok(fd_event_record(event, slow));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    ck_assert_ok(fd_event_record(event, fast));
    ck_assert_ok(fd_event_synchronize(event));
    ck_assert_status(fd_stream_query(waiting), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(waiting));
}

TEST(wait_orders_only_later_work)
{
    fd_stream *recording = make_stream(0), *waiting = make_stream(1);
    fd_event *event = make_event(0), *earlier = make_event(0);
    fd_gate *gate = make_gate(recording);
    launch_note(recording, &notes, 1);
    ck_assert_ok(fd_event_record(event, recording));
    launch_note(waiting, &notes, 0);
    ck_assert_ok(fd_event_record(earlier, waiting));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    launch_note(waiting, &notes, 2);
    ck_assert_ok(fd_event_synchronize(earlier));
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(waiting));
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(notes.values[i], i);
}

TEST(wait_by_several_streams_releases_all)
{
    fd_stream *recording = make_stream(0), *waiting[8];
    fd_event *event = make_event(0);
    fd_gate *gate = make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    for (int i = 0; i < 8; i++) {
        waiting[i] = make_stream(i % 2);
        ck_assert_ok(fd_stream_wait_event(waiting[i], event));
        ck_assert_status(fd_stream_query(waiting[i]), FD_ERROR_NOT_READY);
    }
    ck_assert_ok(fd_gate_destroy(gate));
    for (int i = 0; i < 8; i++)
        ck_assert_ok(fd_stream_synchronize(waiting[i]));
}

TEST(wait_chain_of_ten_thousand_is_followed_to_its_end)
{
    fd_stream *streams[2] = {make_stream(0), make_stream(1)};
    fd_gate *gate = make_gate(streams[0]);
    for (int i = 0; i < 10000; i++) {
        const int self = i % 2;
        fd_event *event = make_event(0);
        ck_assert_ok(fd_event_record(event, streams[self]));
        ck_assert_ok(fd_stream_wait_event(streams[!self], event));
        ck_assert_ok(fd_event_destroy(event));
    }
    ck_assert_status(fd_stream_query(streams[1]), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(streams[0]));
    ck_assert_ok(fd_stream_synchronize(streams[1]));
}

TEST(record_on_another_device_is_refused_and_changes_nothing)
{
    fd_stream *streams[2] = {make_stream(0), make_stream(1)};
    fd_event *event = make_event(0);
    ck_assert_ok(fd_event_record(event, streams[0]));
    ck_assert_status(fd_event_record(event, streams[1]), FD_ERROR_INVALID_VALUE);
    ck_assert_int_eq(fd_event_device(event), 0);
    ck_assert_ok(fd_event_record(event, streams[0]));
    ck_assert_ok(fd_event_synchronize(event));

    fd_event *fresh = make_event(0);
    ck_assert_ok(fd_stream_destroy(streams[0]));
    ck_assert_status(fd_event_record(fresh, streams[0]), FD_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(fd_event_device(fresh), -1);
    ck_assert_ok(fd_event_record(fresh, streams[1]));
    ck_assert_ok(fd_event_synchronize(fresh));
}

TEST(elapsed_is_never_negative_and_spans_the_work_between)
{
    fd_stream *stream = make_stream(0);
    fd_event *start = make_event(FD_EVENT_TIMING), *end = make_event(FD_EVENT_TIMING);
    double milliseconds = -1;
    ck_assert_ok(fd_event_record(start, stream));
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_event_record(end, stream));
    ck_assert_status(fd_event_elapsed(start, end, &milliseconds), FD_ERROR_NOT_READY);
    ck_assert(milliseconds == -1);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_event_synchronize(end));
    ck_assert_ok(fd_event_elapsed(start, end, &milliseconds));
    ck_assert(milliseconds >= 0);
    ck_assert_ok(fd_event_elapsed(start, start, &milliseconds));
    ck_assert(milliseconds == 0);
}

TEST(elapsed_without_timing_or_record_is_refused)
{
    fd_stream *stream = make_stream(0);
    fd_event *timing = make_event(FD_EVENT_TIMING), *plain = make_event(0);
    fd_event *never = make_event(FD_EVENT_TIMING);
    double milliseconds;
    ck_assert_ok(fd_event_record(timing, stream));
    ck_assert_ok(fd_event_record(plain, stream));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_status(fd_event_elapsed(timing, plain, &milliseconds), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_event_elapsed(never, timing, &milliseconds), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_event_elapsed(timing, timing, NULL), FD_ERROR_INVALID_VALUE);
    fd_event *event = NULL;
    ck_assert_status(fd_event_create(2, &event), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_event_create(0, NULL), FD_ERROR_INVALID_VALUE);
}

TEST(destroy_with_waiters_keeps_them_waiting)
{
    fd_stream *recording = make_stream(0), *waiting = make_stream(1);
    fd_event *event = make_event(0);
    fd_gate *gate = make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    ck_assert_ok(fd_event_destroy(event));
    ck_assert_ok(fd_stream_destroy(recording));
    ck_assert_status(fd_stream_query(waiting), FD_ERROR_NOT_READY);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(waiting));
}

TEST(calls_on_a_dead_event_are_refused)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    ck_assert_ok(fd_event_destroy(event));
    ck_assert_ok(fd_event_destroy(NULL));
    ck_assert_status(fd_event_destroy(event), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_event_record(event, stream), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_event_query(event), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_event_synchronize(event), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_stream_wait_event(stream, event), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_event_query(NULL), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_event_query((fd_event *)stream), FD_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(fd_event_device(event), -1);
}

TEST(synchronize_reports_only_what_failed_before_the_event)
{
    fd_stream *stream = make_stream(0);
    fd_event *before = make_event(0), *after = make_event(0);
    ck_assert_ok(fd_event_record(before, stream));
    launch_failure(stream, 3);
    ck_assert_ok(fd_event_record(after, stream));
    while (fd_event_query(after) != FD_OK)
        ck_assert_ok(fd_event_synchronize(before));
    ck_assert_ok(fd_event_synchronize(before));
    ck_assert_status(fd_event_synchronize(after), FD_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "number 3 went wrong"));
    ck_assert_ok(fd_event_synchronize(after));
    ck_assert_ok(fd_stream_synchronize(stream));
}
