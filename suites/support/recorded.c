/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See recorded.h.
 */
#include "recorded.h"

struct bridge_stream assay_make_stream(struct assay_line at, int32_t device)
{
    const struct bridge_stream stream = bridge_stream_new(device, 0);
    assay_require_capability(at, "streams", stream.status, "getNewStream");
    return stream;
}

struct bridge_stream assay_find_default_stream(struct assay_line at, int32_t device)
{
    const struct bridge_stream stream = bridge_stream_default(device);
    assay_require_capability(at, "streams.default", stream.status, "getDefaultStream");
    return stream;
}

struct bridge_stream assay_take_pool_stream(struct assay_line at, int32_t device, int32_t high)
{
    const struct bridge_stream stream = bridge_stream_from_pool(device, high);
    assay_require_capability(at, "streams.pool", stream.status, "getStreamFromGlobalPool");
    return stream;
}

struct bridge_stream assay_stream_entered(struct assay_line at, int32_t device)
{
    assay_require_ok(at, bridge_guard_set(device), "setDevice");
    const struct bridge_stream stream = bridge_stream_current(device);
    assay_require_ok(at, stream.status, "getStream");
    return stream;
}

void *assay_recorded(struct assay_line at, struct bridge_stream stream)
{
    void *event = NULL;
    assay_require_capability(
        at, "events", bridge_event_record(&event, stream, ASSAY_NOWHERE, BRIDGE_EVENT_DEFAULT),
        "record");
    return event;
}

void *assay_recorded_with_time(struct assay_line at, struct bridge_stream stream)
{
    void *event = NULL;
    assay_require_capability(
        at, "events", bridge_event_record(&event, stream, ASSAY_NOWHERE, BRIDGE_EVENT_TIMING),
        "record");
    return event;
}

double assay_elapsed(struct assay_line at, void *start, void *end, int32_t device)
{
    double milliseconds = 0;
    assay_require_capability(at, "events.timing",
                             bridge_event_elapsed(start, end, device, &milliseconds),
                             "elapsedTime");
    return milliseconds;
}

int assay_event_complete(struct assay_line at, void *event)
{
    int32_t complete = -1;
    assay_require_ok(at, bridge_event_query(event, &complete), "queryEvent");
    return complete;
}
