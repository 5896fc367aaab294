/* SPDX-License-Identifier: BSD-3-Clause
 *
 * queryEvent must say whether the stream has reached the newest record, and must never wait.
 */
#include "bounded.h"
#include "instruments.h"
#include "recorded.h"

struct question {
    struct assay_check *check;
    void *event;
    int32_t answer;
};

static void ask(void *context)
{
    struct question *const question = context;
    expect_ok(question->check, bridge_event_query(question->event, &question->answer));
}

/* Runs on a separate thread. If queryEvent waits, the check fails and does not hang. */
static void expect_pending(struct assay_check *check, void *event, const char *what)
{
    struct question question = {.check = check, .event = event, .answer = -1};
    assay_on_thread(check, ask, &question, "queryEvent returns while work is pending");
    expect_int(check, question.answer, 0, what);
}

static void pending_event_is_not_complete(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct assay_held held;
    assay_hold(check, stream, &held);
    void *const event = assay_record(check, stream);
    expect_pending(check, event, "an event after pending work is not complete");
    assay_gate_finish(&held);
    bridge_event_destroy(event, device);
}

static void complete_event_stays_complete(struct assay_check *check)
{
    enum { QUESTIONS = 20 };
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    void *const event = assay_record(check, stream);
    require_ok(check, bridge_stream_synchronize(stream));
    for (int i = 0; i < QUESTIONS; i++) {
        require_int(check, assay_is_complete(check, event), 1,
                    "an event that the stream has reached is complete and stays complete");
    }
    bridge_event_destroy(event, device);
}

static void event_recorded_again_is_pending_again(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct assay_held held;
    void *event = assay_record(check, stream);
    require_ok(check, bridge_stream_synchronize(stream));
    require_int(check, assay_is_complete(check, event), 1,
                "an event that the stream has reached is complete");
    assay_hold(check, stream, &held);
    require_ok(check, bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT));
    expect_pending(check, event,
                   "an event that was recorded again after pending work is not complete");
    assay_gate_finish(&held);
    bridge_event_destroy(event, device);
}

enum { ROW = 16 };

/* Queries the newest event first and the oldest event last. If an event was complete, all older
 * events, which are queried later, must also be complete. */
static void expect_no_gap(struct assay_check *check, void *const *events)
{
    int newer = 0;
    for (int i = ROW - 1; i >= 0; i--) {
        const int complete = assay_is_complete(check, events[i]);
        expect_that(check, complete || !newer,
                    "an event is not complete before one that was recorded earlier on its stream",
                    "of %d events, number %d is complete and the one before it is not", ROW, i + 2);
        newer = complete;
    }
}

static void events_complete_in_their_order(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct assay_held held;
    void *events[ROW];
    assay_hold(check, stream, &held);
    for (int i = 0; i < ROW; i++)
        events[i] = assay_record(check, stream);
    expect_no_gap(check, events);
    assay_gate_open(&held);
    for (int looks = 0; looks < 100; looks++)
        expect_no_gap(check, events);
    require_ok(check, bridge_stream_synchronize(stream));
    expect_int(check, assay_is_complete(check, events[ROW - 1]), 1,
               "the last event of an idle stream is complete");
    assay_gate_finish(&held);
    for (int i = 0; i < ROW; i++)
        bridge_event_destroy(events[i], device);
}

const struct assay_check_row event_query_checks[] = {
    {"events.pending_event_is_not_complete", pending_event_is_not_complete},
    {"events.complete_event_stays_complete", complete_event_stays_complete},
    {"events.event_recorded_again_is_pending_again", event_recorded_again_is_pending_again},
    {"events.events_complete_in_stream_order", events_complete_in_their_order},
    {0},
};
