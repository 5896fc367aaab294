/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the handle of an event: when it is created, which calls leave it unchanged, and which
 * values PyTorch may pass instead of a handle.
 */
#include "recorded.h"

/* This check is separate because all other checks of events depend on it. Only a clear refusal
 * shows that the backend lacks `events`. */
static void event_can_be_recorded(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    bridge_event_destroy(assay_record(check, stream), device);
}

/* A backend with events may treat a null event as "no event" and do nothing. A backend without
 * events must raise for null as well. */
static void block_and_query_raise_if_record_raises(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    void *event = NULL;
    int32_t complete = 0;
    if (bridge_event_record(&event, stream, ASSAY_NOWHERE, BRIDGE_EVENT_DEFAULT) == ASSAY_OK)
        assay_have_all_the_same(check, "events", "an event was recorded");
    expect_absent(check, bridge_event_block(NULL, stream),
                  "a backend that refuses record also refuses block");
    expect_absent(check, bridge_event_query(NULL, &complete),
                  "a backend that refuses record also refuses queryEvent");
}

static void recording_again_keeps_the_handle(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *event = assay_record(check, stream);
    const void *const first = event;
    require_ok(check, bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT));
    expect_pointer(check, event, first, "recording again keeps the event's handle");
    bridge_event_destroy(event, device);
}

/* expect_ok would treat the exception of the base class as a refusal, but for this clause that
 * exception is the violation. */
static void events_come_as_a_set(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *const event = assay_record(check, stream);
    int32_t complete = 0;
    if (!event)
        assay_skip(check, "events", "record creates no event, so every event counts as complete");
    expect_works(check, bridge_event_block(event, stream),
                 "a backend that records events also offers block");
    expect_works(check, bridge_event_query(event, &complete),
                 "a backend that records events also offers queryEvent");
    expect_works(check, bridge_event_synchronize(event),
                 "a backend that records events also offers synchronizeEvent");
    bridge_event_destroy(event, device);
}

/* PyTorch passes null for a c10::Event that was moved from. */
static void null_event_counts_as_complete(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    int32_t complete = -1;
    if (expect_ok(check, bridge_event_query(NULL, &complete)))
        expect_int(check, complete, 1, "a null event is complete");
    expect_ok(check, bridge_event_block(NULL, stream));
}

/* Uses streams of every device. A backend with a fixed device index fails for the last device. */
static void first_record_accepts_index_minus_one(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t device = assay_device(check, i);
        const struct bridge_stream stream = assay_enter_stream(check, device);
        void *event = NULL;

        require_ok(check, bridge_event_record(&event, stream, ASSAY_NOWHERE, BRIDGE_EVENT_DEFAULT));
        bridge_event_destroy(event, device);
    }
}

/* PyTorch stores device 0 in the event, and passes it together with a stream of device 1. */
static int32_t record_elsewhere(struct assay_check *check, void **event)
{
    const int32_t first = assay_device(check, 0);
    const struct bridge_stream elsewhere = bridge_stream_current(assay_device(check, 1));
    require_ok(check, elsewhere.status);
    *event = assay_record(check, assay_enter_stream(check, first));
    return bridge_event_record(event, elsewhere, first, BRIDGE_EVENT_DEFAULT);
}

static void record_on_another_device_is_rejected(struct assay_check *check)
{
    void *event = NULL;
    expect_refused(check, record_elsewhere(check, &event),
                   "recording an event of one device on a stream of another is refused");
    bridge_event_destroy(event, assay_device(check, 0));
}

static void failed_record_leaves_the_event_usable(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *event = NULL;
    if (record_elsewhere(check, &event) == ASSAY_OK)
        assay_skip(check, "multi_device", "the backend allows an event to change its device");
    require_that(check, event != NULL, "a failed record does not change the event's handle",
                 "its handle is null");
    require_ok(check, bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT));
    require_ok(check, bridge_stream_synchronize(stream));
    expect_int(check, assay_is_complete(check, event), 1,
               "an event whose record failed once can be recorded again");
    bridge_event_destroy(event, device);
}

const struct assay_check_row event_handles_checks[] = {
    {"events.event_can_be_recorded", event_can_be_recorded},
    {"events.block_and_query_raise_if_record_raises", block_and_query_raise_if_record_raises},
    {"events.recording_again_keeps_the_handle", recording_again_keeps_the_handle},
    {"events.event_functions_all_work_if_record_works", events_come_as_a_set},
    {"events.null_event_counts_as_complete", null_event_counts_as_complete},
    {"events.first_record_accepts_index_minus_one", first_record_accepts_index_minus_one},
    {"events.record_on_another_device_is_rejected", record_on_another_device_is_rejected},
    {"events.failed_record_leaves_the_event_usable", failed_record_leaves_the_event_usable},
    {0},
};
