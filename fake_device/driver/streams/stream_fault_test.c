/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every fault of streams, events and copies: a few lines a user might write are right without it
 * and wrong with it. Each row runs in two processes of its own.
 */
#include "stream_test_support.h"

#include "fakedev_faults.h"
#include "settings.h"
#include "stream_internal.h"
#include "trace.h"

#include <malloc.h>
#include <stdbool.h>
#include <string.h>

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static fd_stream *default_of(int32_t device)
{
    fd_stream *stream = NULL;
    ck_assert_ok(fd_stream_default(device, &stream));
    return stream;
}

static fd_stream *current_of(int32_t device)
{
    fd_stream *stream = NULL;
    ck_assert_ok(fd_stream_get_current(device, &stream));
    return stream;
}

static void *memory_of(int32_t device, size_t size)
{
    void *pointer = NULL;
    ck_assert_ok(fd_memory_allocate(device, size, NULL, &pointer));
    return pointer;
}

/* ---- one function per misbehaviour: true when the device behaves ---- */

static bool stream_query_sees_pending_work(void)
{
    fd_stream *stream = make_stream(0);
    (void)make_gate(stream);
    return fd_stream_query(stream) == FD_ERROR_NOT_READY;
}

static bool stream_query_does_not_block(void)
{
    fd_stream *stream = make_stream(0);
    struct opener opener;
    start_opener(&opener, make_gate(stream));
    const fd_status status = fd_stream_query(stream);
    join_opener(&opener);
    return status == FD_ERROR_NOT_READY;
}

static bool stream_synchronize_waits(void)
{
    fd_stream *stream = make_stream(0);
    struct opener opener;
    start_opener(&opener, make_gate(stream));
    ck_assert_ok(fd_stream_synchronize(stream));
    const fd_status status = fd_stream_query(stream);
    join_opener(&opener);
    return status == FD_OK;
}

static bool streams_are_distinct(void)
{
    fd_stream *first = make_stream(0), *second = make_stream(0);
    return first != second && fd_stream_id(first) != fd_stream_id(second) && fd_stream_id(first);
}

static bool stream_is_of_the_device_asked_for(void)
{
    return fd_stream_device(make_stream(1)) == 1;
}

static bool create_leaves_the_current_stream(void)
{
    (void)make_stream(0);
    return current_of(0) == default_of(0);
}

static bool set_current_is_seen(void)
{
    fd_stream *stream = make_stream(0);
    ck_assert_ok(fd_stream_set_current(stream, NULL));
    return current_of(0) == stream;
}

static bool set_current_leaves_the_other_device(void)
{
    fd_stream *mine = make_stream(1);
    ck_assert_ok(fd_stream_set_current(mine, NULL));
    ck_assert_ok(fd_stream_set_current(make_stream(0), NULL));
    return current_of(1) == mine;
}

static void *set_current_here(void *stream)
{
    (void)fd_stream_set_current(stream, NULL);
    return NULL;
}

static bool set_current_leaves_the_other_thread(void)
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, set_current_here, make_stream(0)), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    return current_of(0) == default_of(0);
}

static bool launch_waits_for_its_turn(void)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    launch_note(stream, &notes, 1);
    const bool early = notes.count > 0;
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    return !early && notes.count == 1;
}

static bool urgent_goes_first(void)
{
    static struct stop stop = STOP_INITIALIZER;
    fd_stream *urgent = NULL, *patient = make_stream(0);
    ck_assert_ok(fd_stream_create(0, -1, &urgent));
    for (int i = 0; i < FD_COMPUTE_SLOTS; i++)
        launch_stop(make_stream(0), &stop);
    await_arrivals(&stop, FD_COMPUTE_SLOTS);
    launch_note(patient, &notes, 2);
    launch_note(urgent, &notes, 1);
    let_pass(&stop, 1);
    ck_assert_ok(fd_stream_synchronize(patient));
    ck_assert_ok(fd_stream_synchronize(urgent));
    let_pass(&stop, FD_COMPUTE_SLOTS - 1);
    ck_assert_ok(fd_device_synchronize(0));
    return notes.values[0] == 1;
}

static bool error_is_reported(void)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 1);
    return fd_stream_synchronize(stream) == FD_ERROR_KERNEL;
}

static bool error_has_its_own_status(void)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 1);
    return fd_stream_synchronize(stream) != FD_ERROR_OUT_OF_MEMORY;
}

static bool first_error_is_reported(void)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 1);
    launch_failure(stream, 2);
    return fd_stream_synchronize(stream) == FD_ERROR_KERNEL &&
           strstr(fd_last_error_text(), "number 1 went wrong");
}

static bool error_is_reported_once(void)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 1);
    (void)fd_stream_synchronize(stream);
    return fd_stream_synchronize(stream) == FD_OK;
}

static bool event_query_sees_pending_work(void)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    (void)make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    return fd_event_query(event) == FD_ERROR_NOT_READY;
}

static bool event_query_does_not_block(void)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    struct opener opener;
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    start_opener(&opener, gate);
    const fd_status status = fd_event_query(event);
    join_opener(&opener);
    return status == FD_ERROR_NOT_READY;
}

static bool event_synchronize_waits(void)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    struct opener opener;
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    start_opener(&opener, gate);
    ck_assert_ok(fd_event_synchronize(event));
    const fd_status status = fd_event_query(event);
    join_opener(&opener);
    return status == FD_OK;
}

static bool event_can_be_recorded_again(void)
{
    fd_stream *stream = make_stream(0);
    fd_event *event = make_event(0);
    ck_assert_ok(fd_event_record(event, stream));
    ck_assert_ok(fd_event_synchronize(event));
    (void)make_gate(stream);
    ck_assert_ok(fd_event_record(event, stream));
    return fd_event_query(event) == FD_ERROR_NOT_READY;
}

static bool wait_holds(fd_stream *recording, fd_stream *waiting)
{
    fd_event *event = make_event(0);
    (void)make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    return fd_stream_query(waiting) == FD_ERROR_NOT_READY;
}

static bool wait_holds_on_one_device(void)
{
    return wait_holds(make_stream(0), make_stream(0));
}

static bool wait_holds_across_devices(void)
{
    return wait_holds(make_stream(0), make_stream(1));
}

static bool wait_is_for_the_version_of_the_call(void)
{
    /* Unless the device is late, an opened gate has had all its consequences on return. */
    fd_settings_for_tests()->late_completion = 0;
    fd_stream *recording = make_stream(0), *waiting = make_stream(0);
    fd_event *event = make_event(0);
    fd_gate *first = make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    (void)make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_ok(fd_gate_open(first));
    return fd_stream_query(waiting) == FD_OK;
}

static bool waiter_outlasts_the_event(void)
{
    fd_stream *recording = make_stream(0), *waiting = make_stream(0);
    fd_event *event = make_event(0);
    (void)make_gate(recording);
    ck_assert_ok(fd_event_record(event, recording));
    ck_assert_ok(fd_stream_wait_event(waiting, event));
    ck_assert_ok(fd_event_destroy(event));
    return fd_stream_query(waiting) == FD_ERROR_NOT_READY;
}

static bool record_leaves_the_current_device(void)
{
    int32_t device = -1;
    ck_assert_ok(fd_event_record(make_event(0), make_stream(1)));
    ck_assert_ok(fd_device_get(&device));
    return device == 0;
}

static bool destroyed_event_is_gone(void)
{
    fd_event *event = make_event(0);
    ck_assert_ok(fd_event_destroy(event));
    return fd_event_query(event) == FD_ERROR_INVALID_HANDLE;
}

/* The host sees a span inside the one between the events and one around it. Measured until the
 * outer is less than 500 times the inner, so that no load can turn seconds into milliseconds. */
static bool elapsed_is_in_milliseconds(void)
{
    needs(!fd_variant_is_on("coarse_clock"), "fine clock");
    fd_stream *stream = make_stream(0);
    fd_event *start = make_event(FD_EVENT_TIMING), *end = make_event(FD_EVENT_TIMING);
    uint64_t before, inner_begin, inner_end, after;
    double milliseconds = 0;
    do {
        before = fd_trace_now();
        ck_assert_ok(fd_event_record(start, stream));
        ck_assert_ok(fd_event_synchronize(start));
        inner_begin = fd_trace_now();
        do {
            inner_end = fd_trace_now();
        } while (inner_end < inner_begin + 10000);
        ck_assert_ok(fd_event_record(end, stream));
        ck_assert_ok(fd_event_synchronize(end));
        after = fd_trace_now();
    } while (after - before >= 500 * (inner_end - inner_begin));
    ck_assert_ok(fd_event_elapsed(start, end, &milliseconds));
    return milliseconds * 1e6 >= (double)(inner_end - inner_begin) * 0.999 &&
           milliseconds * 1e6 <= (double)(after - before) * 1.001;
}

static bool copy_keeps_all_bytes(void)
{
    unsigned char source[100], target[100];
    void *device = memory_of(0, sizeof source);
    memset(source, 5, sizeof source);
    memset(target, 0, sizeof target);
    ck_assert_ok(fd_memory_copy(device, source, sizeof source));
    ck_assert_ok(fd_memory_copy(target, device, sizeof target));
    return memcmp(source, target, sizeof source) == 0;
}

static bool copy_waits_for_its_turn(void)
{
    fd_stream *stream = make_stream(0);
    void *pointer = NULL;
    ck_assert_ok(fd_host_allocate(2, &pointer));
    unsigned char *pinned = pointer;
    fd_gate *gate = make_gate(stream);
    pinned[0] = 1;
    pinned[1] = 0;
    ck_assert_ok(fd_memory_copy_async(pinned + 1, pinned, 1, stream));
    const bool early = pinned[1] != 0;
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    return !early;
}

static bool copy_has_read_a_pageable_source(void)
{
    static unsigned char source, target;
    fd_stream *stream = make_stream(0);
    void *device = memory_of(0, 1);
    fd_gate *gate = make_gate(stream);
    source = 1;
    ck_assert_ok(fd_memory_copy_async(device, &source, 1, stream));
    source = 2;
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_ok(fd_memory_copy(&target, device, 1));
    return target == 1;
}

static size_t held_by_malloc(void)
{
    const struct mallinfo2 held = mallinfo2();
    return held.uordblks + held.hblkhd;
}

static bool copy_gives_back_what_it_staged(void)
{
    static unsigned char source[1 << 20];
    fd_stream *stream = make_stream(0);
    void *device = memory_of(0, sizeof source);
    const size_t before = held_by_malloc();
    ck_assert_ok(fd_memory_copy_async(device, source, sizeof source, stream));
    ck_assert_ok(fd_stream_synchronize(stream));
    return held_by_malloc() < before + sizeof source;
}

static bool copy_to_host_has_arrived(void)
{
    static unsigned char target;
    fd_stream *stream = make_stream(0);
    void *device = memory_of(0, 1);
    struct opener opener;
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_memory_set_async(device, 9, 1, stream));
    start_opener(&opener, gate);
    ck_assert_ok(fd_memory_copy_async(&target, device, 1, stream));
    const fd_status status = fd_stream_query(stream);
    join_opener(&opener);
    return status == FD_OK && target == 9;
}

/* ---- the table ---- */

static const struct row {
    const char *fault;
    bool (*behaves)(void);
} rows[] = {
    {"copy.drops_last_byte", copy_keeps_all_bytes},
    {"copy.ignores_stream_order", copy_waits_for_its_turn},
    {"copy.reads_pageable_memory_late", copy_has_read_a_pageable_source},
    {"copy.staging_is_kept", copy_gives_back_what_it_staged},
    {"copy.staging_skipped", copy_has_read_a_pageable_source},
    {"copy.to_host_returns_early", copy_to_host_has_arrived},
    {"error.asynchronous_error_lost", error_is_reported},
    {"error.failure_is_out_of_memory", error_has_its_own_status},
    {"error.newest_failure_is_told", first_error_is_reported},
    {"error.told_twice", error_is_reported_once},
    {"event.destroy_releases_waiters", waiter_outlasts_the_event},
    {"event.elapsed_in_seconds", elapsed_is_in_milliseconds},
    {"event.elapsed_negative", elapsed_is_in_milliseconds},
    {"event.is_a_time_stamp", event_query_sees_pending_work},
    {"event.leaked", destroyed_event_is_gone},
    {"event.query_blocks", event_query_does_not_block},
    {"event.record_switches_device", record_leaves_the_current_device},
    {"event.rerecord_ignored", event_can_be_recorded_again},
    {"event.synchronize_returns_early", event_synchronize_waits},
    {"event.wait_across_devices_ignored", wait_holds_across_devices},
    {"event.wait_ignored", wait_holds_on_one_device},
    {"event.wait_takes_latest_version", wait_is_for_the_version_of_the_call},
    {"stream.all_equal_default", streams_are_distinct},
    {"stream.create_ignores_device", stream_is_of_the_device_asked_for},
    {"stream.create_switches_current", create_leaves_the_current_stream},
    {"stream.current_shared_by_devices", set_current_leaves_the_other_device},
    {"stream.current_shared_by_threads", set_current_leaves_the_other_thread},
    {"stream.launch_ignores_order", launch_waits_for_its_turn},
    {"stream.priority_inverted", urgent_goes_first},
    {"stream.query_always_done", stream_query_sees_pending_work},
    {"stream.query_blocks", stream_query_does_not_block},
    {"stream.set_current_ignored", set_current_is_seen},
    {"stream.synchronize_returns_early", stream_synchronize_waits},
};
#define ROWS ((int)(sizeof rows / sizeof rows[0]))

START_TEST(device_without_the_fault_behaves)
{
    ck_assert_msg(rows[_i].behaves(), "%s: wrong without the fault", rows[_i].fault);
}
END_TEST

START_TEST(device_with_the_fault_misbehaves)
{
    /* Stays armed: the process ends with the test, and workers may still be reading what is on. */
    arm(rows[_i].fault);
    ck_assert_msg(!rows[_i].behaves(), "%s: the fault does nothing", rows[_i].fault);
}
END_TEST

START_TEST(table_has_a_row_for_each_fault_of_this_area)
{
    static const char *const areas[] = {"copy.", "error.", "event.", "stream."};
    struct fd_fault_info info;
    int found = 0;
    for (size_t i = 0; fd_fault_get(i, &info) == FD_OK; i++)
        for (size_t area = 0; area < sizeof areas / sizeof areas[0]; area++)
            found += strncmp(info.name, areas[area], strlen(areas[area])) == 0 &&
                     strcmp(info.layer, "driver") == 0;
    ck_assert_int_eq(found, ROWS);
}
END_TEST

int main(void)
{
    TCase *cases = tcase_create("stream_fault");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, device_without_the_fault_behaves, 0, ROWS);
    tcase_add_loop_test(cases, device_with_the_fault_misbehaves, 0, ROWS);
    tcase_add_test(cases, table_has_a_row_for_each_fault_of_this_area);
    return fd_run_tests(cases);
}
