/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events: marks in a stream. Other streams and the host can wait for a mark.
 *
 * Purpose: the event methods of the device guard. Used by torch.Event, wait_stream, autograd's
 * joins between streams and the DataLoader's pinned copies. If this file is removed, core's
 * defaults raise "Backend doesn't support events.". Some methods of the base class pretend to
 * succeed, so a backend must override all event methods or none (EVT-042).
 * Traps: core creates the handle at the first record. Core calls the methods while any device is
 * current, and checks only the device type. This file must check the index (EVT-004).
 * Serves: EVT-001 to EVT-042, STRM-021 to STRM-024.
 */
#include "events.h"

#include "status.h"
#include "streams.h"

#include <c10/util/Exception.h>

namespace fakedev
{

namespace
{

fd_event *to_driver(void *event)
{
    return static_cast<fd_event *>(event);
}

fd_event *create(c10::EventFlag flag)
{
    fd_event *event = nullptr;
    TORCH_CHECK(flag != c10::EventFlag::INVALID, "fakedev: invalid event flag");
    check(fd_event_create(flag == c10::EventFlag::BACKEND_DEFAULT ? FD_EVENT_TIMING : 0, &event),
          "create event");
    return event;
}

} // namespace

void record_event(void **event, const c10::Stream &stream, c10::DeviceIndex index,
                  c10::EventFlag flag)
{
    fd_stream *on = to_driver(stream);
    TORCH_CHECK(index == -1 || index == stream.device_index(), "Event device index ",
                static_cast<int>(index), " does not match recording stream's device index ",
                static_cast<int>(stream.device_index()), ".");
    fd_event *handle = *event ? to_driver(*event) : create(flag);
    const fd_status status = fd_event_record(handle, on);
    if (status != FD_OK && !*event) /* if the first record fails, the new event is destroyed */
        (void)fd_event_destroy(handle);
    check(status, "record event");
    *event = handle;
}

void block_stream(void *event, const c10::Stream &stream)
{
    if (!event)
        return;
    check(fd_stream_wait_event(to_driver(stream), to_driver(event)), "wait for event");
}

bool query_event(void *event)
{
    if (!event)
        return true;
    const fd_status status = fd_event_query(to_driver(event));
    if (status == FD_ERROR_NOT_READY)
        return false;
    check(status, "query event");
    return true;
}

void synchronize_event(void *event)
{
    if (event)
        check(fd_event_synchronize(to_driver(event)), "synchronize event");
}

double elapsed_milliseconds(void *start, void *end)
{
    double milliseconds = 0;
    TORCH_CHECK(start && end, "Both events must be recorded before calculating elapsed time.");
    const fd_status status = fd_event_elapsed(to_driver(start), to_driver(end), &milliseconds);
    TORCH_CHECK(status != FD_ERROR_NOT_READY,
                "Both events must be completed before calculating elapsed time.");
    check(status, "elapsed time");
    return milliseconds;
}

void destroy_event(void *event) noexcept
{
    (void)fd_event_destroy(to_driver(event));
}

} // namespace fakedev
