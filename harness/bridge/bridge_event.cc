// SPDX-License-Identifier: BSD-3-Clause
//
// Events, through the registered guard. The void* is the backend's own object, as in core.
#include "bridge_internal.h"

int32_t bridge_event_record(void **event, struct bridge_stream stream, int32_t index, int32_t flag)
{
    return bridge::guarded([&] {
        bridge::guard().record(event, bridge::stream(stream), static_cast<c10::DeviceIndex>(index),
                               flag == BRIDGE_EVENT_TIMING ? c10::EventFlag::BACKEND_DEFAULT
                                                           : c10::EventFlag::PYTORCH_DEFAULT);
    });
}

int32_t bridge_event_block(void *event, struct bridge_stream stream)
{
    return bridge::guarded([&] { bridge::guard().block(event, bridge::stream(stream)); });
}

int32_t bridge_event_query(void *event, int32_t *done)
{
    return bridge::guarded([&] { *done = bridge::guard().queryEvent(event) ? 1 : 0; });
}

int32_t bridge_event_synchronize(void *event)
{
    return bridge::guarded([&] { bridge::guard().synchronizeEvent(event); });
}

int32_t bridge_event_elapsed(void *start, void *end, int32_t device, double *ms)
{
    return bridge::guarded([&] {
        *ms = bridge::guard().elapsedTime(start, end, static_cast<c10::DeviceIndex>(device));
    });
}

void bridge_event_destroy(void *event, int32_t device)
{
    bridge::guard().destroyEvent(event, static_cast<c10::DeviceIndex>(device));
}
