// SPDX-License-Identifier: BSD-3-Clause
//
// Events, through the registered guard. The void* is the backend's own object, as in core.
#include "bridge_internal.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace
{

const c10::impl::DeviceGuardImplInterface &guard()
{
    return *c10::impl::getDeviceGuardImpl(c10::kPrivateUse1);
}

} // namespace

int32_t bridge_event_record(void **event, struct bridge_stream stream, int32_t index, int32_t flag)
{
    return bridge::guarded([&] {
        guard().record(event, bridge::stream(stream), static_cast<c10::DeviceIndex>(index),
                       flag == BRIDGE_EVENT_TIMING ? c10::EventFlag::BACKEND_DEFAULT
                                                   : c10::EventFlag::PYTORCH_DEFAULT);
    });
}

int32_t bridge_event_block(void *event, struct bridge_stream stream)
{
    return bridge::guarded([&] { guard().block(event, bridge::stream(stream)); });
}

int32_t bridge_event_query(void *event, int32_t *done)
{
    return bridge::guarded([&] { *done = guard().queryEvent(event) ? 1 : 0; });
}

int32_t bridge_event_synchronize(void *event)
{
    return bridge::guarded([&] { guard().synchronizeEvent(event); });
}

int32_t bridge_event_elapsed(void *start, void *end, int32_t device, double *ms)
{
    return bridge::guarded(
        [&] { *ms = guard().elapsedTime(start, end, static_cast<c10::DeviceIndex>(device)); });
}

void bridge_event_destroy(void *event, int32_t device)
{
    guard().destroyEvent(event, static_cast<c10::DeviceIndex>(device));
}
