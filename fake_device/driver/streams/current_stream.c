/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The current stream, per thread and device. The id of the stream is stored (current_id.c) and not
 * a pointer, which could dangle. If the current stream is destroyed, the default stream becomes
 * current.
 */
#include "current_id.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "scheduler.h"
#include "stream_registry.h"
#include "trace.h"

static fd_status find_current(int32_t device, fd_stream **stream)
{
    fd_scheduler_lock();
    fd_stream *found = fd_registry_find(device, fd_current_id(device));
    fd_scheduler_unlock();
    if (!found)
        return fd_stream_default(device, stream);
    *stream = found;
    return FD_OK;
}

static fd_status get_current(int32_t device, fd_stream **stream)
{
    if (!stream)
        return fd_fail(FD_ERROR_INVALID_VALUE, "stream is NULL");
    const fd_status status = fd_device_check(device);
    return status == FD_OK ? find_current(device, stream) : status;
}

fd_status fd_stream_get_current(int32_t device, fd_stream **stream)
{
    return fd_trace_call("fd_stream_get_current", device, -1, 0, get_current(device, stream));
}

static fd_status set_current(fd_stream *stream, fd_stream **previous)
{
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    const int32_t device = stream->device;
    if (previous)
        status = find_current(device, previous);
    if (status == FD_OK) {
        fd_current_set_id(device, stream->id);
        for (int32_t i = 0; i < FD_MAX_DEVICES && fd_fault("stream.current_shared_by_devices"); i++)
            fd_current_set_id(i, i == device ? stream->id : 0);
    }
    fd_stream_release(stream);
    return status;
}

fd_status fd_stream_set_current(fd_stream *stream, fd_stream **previous)
{
    return fd_trace_call("fd_stream_set_current", fd_stream_device(stream), fd_stream_id(stream), 0,
                         set_current(stream, previous));
}
