/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Public calls that concern a whole device: synchronise, lose, reset. This file may call streams
 * and memory, which in turn call device.c.
 */
#include "device.h"
#include "fault.h"
#include "memory.h"
#include "settings.h"
#include "stream_internal.h"
#include "trace.h"

static fd_status synchronize(int32_t device)
{
    fd_status status = fd_device_check(device);
    if (status == FD_ERROR_DEVICE_LOST && fd_fault("device.lost_is_idle"))
        return FD_OK;
    if (status != FD_OK || fd_fault("device.synchronize_returns_at_once"))
        return status;
    int32_t waited = device;
    if (fd_fault("device.synchronize_waits_for_current"))
        (void)fd_device_get(&waited);
    status = fd_streams_synchronize(waited);
    return status == FD_OK ? fd_streams_take_error(device) : status;
}

fd_status fd_device_synchronize(int32_t device)
{
    return fd_trace_call("fd_device_synchronize", device, -1, 0, synchronize(device));
}

static fd_status lose(int32_t device)
{
    const fd_status status = fd_device_check_even_lost(device);
    if (status != FD_OK)
        return status;
    const int32_t all = fd_fault("device.lost_takes_all_along");
    for (int32_t i = 0; i < fd_settings()->devices; i++) {
        if (i != device && !all)
            continue;
        fd_device_mark_lost(i, 1);
        fd_streams_drop_work(i, FD_ERROR_DEVICE_LOST);
    }
    return FD_OK;
}

fd_status fd_device_lose(int32_t device)
{
    return fd_trace_call("fd_device_lose", device, -1, 0, lose(device));
}

static fd_status reset(int32_t device)
{
    const fd_status status = fd_device_check_even_lost(device);
    if (status != FD_OK)
        return status;
    (void)fd_streams_synchronize(device);
    (void)fd_streams_take_error(device);
    fd_memory_drop_cache(device);
    fd_device_mark_lost(device, 0);
    return FD_OK;
}

fd_status fd_device_reset(int32_t device)
{
    return fd_trace_call("fd_device_reset", device, -1, 0, reset(device));
}
