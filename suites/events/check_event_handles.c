/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The handle of an event: when it is made, what it survives, what core may pass in its place.
 */
#include "recorded.h"

/* Alone, because all others lean on it: a clear refusal lacks events, nothing else does. */
static void an_event_can_be_recorded(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);

    bridge_event_destroy(assay_record(check, stream), device);
}

/* Null is what a backend may take for no event and pass over: pretending, if it has none. */
static void absence_is_said(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    void *event = NULL;
    int32_t complete = 0;

    if (bridge_event_record(&event, stream, ASSAY_NOWHERE, BRIDGE_EVENT_DEFAULT) == ASSAY_OK)
        assay_have_all_the_same(check, "events", "an event was recorded");
    expect_absent(check, bridge_event_block(NULL, stream),
                  "a backend that records no events lets no stream wait for one");
    expect_absent(check, bridge_event_query(NULL, &complete),
                  "a backend that records no events answers for none");
}

static void next_record_keeps_the_handle(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *event = assay_record(check, stream);
    const void *const first = event;

    require_ok(check, bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT));
    expect_pointer(check, event, first, "recording again keeps the event's handle");
    bridge_event_destroy(event, device);
}

/* Not expect_ok: here the base class's refusal is the violation. */
static void events_come_as_a_set(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *const event = assay_record(check, stream);
    int32_t complete = 0;

    if (!event)
        assay_skip(check, "events", "record makes no event, as if all work were always done");
    expect_works(check, bridge_event_block(event, stream),
                 "a backend that records events also offers block");
    expect_works(check, bridge_event_query(event, &complete),
                 "a backend that records events also offers queryEvent");
    expect_works(check, bridge_event_synchronize(event),
                 "a backend that records events also offers synchronizeEvent");
    bridge_event_destroy(event, device);
}

/* Null is what core passes for a c10::Event that was moved away. */
static void no_event_is_a_complete_event(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    int32_t complete = -1;

    if (expect_ok(check, bridge_event_query(NULL, &complete)))
        expect_int(check, complete, 1, "a null event is complete");
    expect_ok(check, bridge_event_block(NULL, stream));
}

/* Streams of every device: the last is the one that an index taken for granted misses. */
static void first_record_has_no_index(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t device = assay_device(check, i);
        const struct bridge_stream stream = assay_enter_stream(check, device);
        void *event = NULL;

        require_ok(check, bridge_event_record(&event, stream, ASSAY_NOWHERE, BRIDGE_EVENT_DEFAULT));
        bridge_event_destroy(event, device);
    }
}

/* Core remembers device 0 for the event and passes it with a stream of device 1. */
static int32_t record_elsewhere(struct assay_check *check, void **event)
{
    const int32_t first = assay_device(check, 0);
    const struct bridge_stream elsewhere = bridge_stream_current(assay_device(check, 1));

    require_ok(check, elsewhere.status);
    *event = assay_record(check, assay_enter_stream(check, first));
    return bridge_event_record(event, elsewhere, first, BRIDGE_EVENT_DEFAULT);
}

static void record_on_another_device_is_refused(struct assay_check *check)
{
    void *event = NULL;

    expect_refused(check, record_elsewhere(check, &event),
                   "an event of one device is not recorded on a stream of another");
    bridge_event_destroy(event, assay_device(check, 0));
}

static void failed_record_leaves_the_event_usable(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *event = NULL;

    if (record_elsewhere(check, &event) == ASSAY_OK)
        assay_skip(check, "multi_device", "an event may change its device here: nothing fails");
    require_that(check, event != NULL, "a record that fails leaves the event its handle",
                 "its handle is null");
    require_ok(check, bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT));
    require_ok(check, bridge_stream_synchronize(stream));
    expect_int(check, assay_is_complete(check, event), 1,
               "an event whose record failed once can be recorded again");
    bridge_event_destroy(event, device);
}

const struct assay_check_row event_handles_checks[] = {
    {"events.an_event_can_be_recorded", an_event_can_be_recorded},
    {"events.absence_is_said", absence_is_said},
    {"events.next_record_keeps_the_handle", next_record_keeps_the_handle},
    {"events.come_as_a_set", events_come_as_a_set},
    {"events.no_event_is_a_complete_event", no_event_is_a_complete_event},
    {"events.first_record_has_no_index", first_record_has_no_index},
    {"events.record_on_another_device_is_refused", record_on_another_device_is_refused},
    {"events.failed_record_leaves_the_event_usable", failed_record_leaves_the_event_usable},
    {0},
};
