/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the two ways to wait for an event: a stream waits (block), or the host waits
 * (synchronizeEvent).
 */
#include "bounded.h"
#include "recorded.h"
#include "waiting.h"

/* Makes a stream wait for `event`, and returns a new event recorded on this stream. The new event
 * is pending while the stream waits. */
static void *waiting_mark(struct assay_check *check, void *event, struct bridge_stream stream)
{
    require_ok(check, bridge_event_block(event, stream));
    return assay_record(check, stream);
}

static void all_waiting_streams_are_released(struct assay_check *check)
{
    enum { WAITING = 3 };
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct bridge_stream waiting[WAITING];
    void *marks[WAITING];
    struct assay_held held;
    for (int i = 0; i < WAITING; i++)
        waiting[i] = assay_new_stream(check, device);
    assay_hold(check, stream, &held);
    void *const event = assay_record(check, stream);
    for (int i = 0; i < WAITING; i++) {
        marks[i] = waiting_mark(check, event, waiting[i]);
        expect_int(
            check, assay_is_complete(check, marks[i]), 0,
            "a stream that waits for an event does not continue before the event is complete");
    }
    assay_gate_open(&held);
    for (int i = 0; i < WAITING; i++) {
        require_ok(check, bridge_stream_synchronize(waiting[i]));
        expect_int(check, assay_is_complete(check, marks[i]), 1,
                   "each waiting stream continues when the event is complete");
        bridge_event_destroy(marks[i], device);
    }
    assay_gate_finish(&held);
    bridge_event_destroy(event, device);
}

static void stream_waits_for_an_event_of_another_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const struct bridge_stream far = assay_new_stream(check, second);
    const struct bridge_stream stream = assay_enter_stream(check, first);
    struct assay_held held;
    assay_hold(check, stream, &held);
    void *const event = assay_record(check, stream);
    void *const mark = waiting_mark(check, event, far);
    expect_int(check, assay_is_complete(check, mark), 0,
               "a stream waits for an event of another device");
    assay_gate_open(&held);
    require_ok(check, bridge_stream_synchronize(far));
    assay_gate_finish(&held);
    bridge_event_destroy(mark, second);
    bridge_event_destroy(event, first);
}

static void stream_still_waits_after_the_event_is_destroyed(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream waiting = assay_new_stream(check, device);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct assay_held held;
    assay_hold(check, stream, &held);
    void *const event = assay_record(check, stream);
    void *const mark = waiting_mark(check, event, waiting);
    bridge_event_destroy(event, device);
    expect_int(check, assay_is_complete(check, mark), 0,
               "a stream that waits for an event keeps waiting after the event is destroyed");
    assay_gate_open(&held);
    expect_ok(check, bridge_stream_synchronize(waiting));
    assay_gate_finish(&held);
    bridge_event_destroy(mark, device);
}

struct wait {
    struct assay_check *check;
    struct bridge_stream stream;
    void *event;
};

static void wait_for_stream(void *context)
{
    struct wait *const wait = context;
    expect_ok(wait->check, bridge_stream_synchronize(wait->stream));
}

/* The waiting stream must become idle although a gate still holds the work before the event's next
 * record. */
static void stream_waits_for_the_record_at_the_time_of_the_wait(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct wait wait = {.check = check, .stream = assay_new_stream(check, device)};
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct assay_held first, second;
    assay_hold(check, stream, &first);
    void *event = assay_record(check, stream);
    require_ok(check, bridge_event_block(event, wait.stream));
    assay_hold(check, stream, &second);
    require_ok(check, bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT));
    assay_gate_open(&first);
    assay_on_thread(
        check, wait_for_stream, &wait,
        "a stream waits for the record that existed when block was called, not for a later record");
    assay_gate_open(&second);
    require_ok(check, bridge_stream_synchronize(stream));
    assay_gate_finish(&first);
    assay_gate_finish(&second);
    bridge_event_destroy(event, device);
}

static void wait_for_event(void *context)
{
    struct wait *const wait = context;
    expect_ok(wait->check, bridge_event_synchronize(wait->event));
}

static void wait_and_ask(void *context)
{
    struct wait *const wait = context;
    int32_t complete = -1;
    wait_for_event(wait);
    expect_ok(wait->check, bridge_event_query(wait->event, &complete));
    expect_int(wait->check, complete, 1, "the event is complete when synchronizeEvent returns");
}

static void synchronize_event_blocks_the_host(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct wait wait = {.check = check, .event = assay_record(check, stream)};
    struct assay_held held;
    require_ok(check, bridge_event_synchronize(wait.event));
    const int64_t patience_ns = assay_patience(check, wait_for_event, &wait);
    assay_hold(check, stream, &held);
    require_ok(check, bridge_event_record(&wait.event, stream, device, BRIDGE_EVENT_DEFAULT));
    assay_expect_wait(check, &held, patience_ns, wait_and_ask, &wait,
                      "synchronizeEvent does not return before the event is complete",
                      "synchronizeEvent returns");
    assay_gate_finish(&held);
    bridge_event_destroy(wait.event, device);
}

const struct assay_check_row event_waiting_checks[] = {
    {"events.all_waiting_streams_are_released", all_waiting_streams_are_released},
    {"events.stream_waits_for_an_event_of_another_device",
     stream_waits_for_an_event_of_another_device},
    {"events.stream_still_waits_after_the_event_is_destroyed",
     stream_still_waits_after_the_event_is_destroyed},
    {"events.stream_waits_for_the_record_at_the_time_of_the_wait",
     stream_waits_for_the_record_at_the_time_of_the_wait},
    {"events.synchronize_event_blocks_the_host", synchronize_event_blocks_the_host},
    {0},
};
