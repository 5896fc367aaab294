/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Gates. A stream that reaches a closed gate stops until the host opens the gate. Gates let a
 * test control asynchrony, so that the test does not depend on timing.
 */
#include "device.h"
#include "error.h"
#include "scheduler.h"
#include "settings.h"
#include "trace.h"

#include <stdlib.h>

static void finish_gate(struct fd_handle *handle)
{
    free(handle);
}

static fd_status acquire(fd_gate *gate)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_handle_acquire(gate, FD_HANDLE_GATE))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live gate", (void *)gate);
    return FD_OK;
}

static fd_status create(fd_gate **gate)
{
    if (!gate)
        return fd_fail(FD_ERROR_INVALID_VALUE, "gate is NULL");
    const fd_status status = fd_driver_start();
    if (status != FD_OK)
        return status;
    fd_gate *made = calloc(1, sizeof *made);
    if (!made)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a gate");
    fd_handle_publish(&made->handle, FD_HANDLE_GATE, finish_gate);
    *gate = made;
    return FD_OK;
}

fd_status fd_gate_create(fd_gate **gate)
{
    return fd_trace_call("fd_gate_create", -1, -1, 0, create(gate));
}

static fd_status enqueue(fd_gate *gate, fd_stream *stream)
{
    if (fd_settings()->eager_streams)
        return fd_fail(FD_ERROR_NOT_SUPPORTED, "this device runs work at once: nothing to hold");
    struct fd_work *work = fd_work_create(FD_WORK_GATE, "gate", NULL, 0);
    if (work) {
        fd_handle_share(&gate->handle);
        work->gate = gate;
    }
    return fd_stream_enqueue(stream, work, NULL);
}

static fd_status close_gate(fd_gate *gate, fd_stream *stream)
{
    fd_status status = acquire(gate);
    if (status != FD_OK)
        return status;
    status = fd_stream_open(stream);
    if (status == FD_OK) {
        status = enqueue(gate, stream);
        fd_stream_release(stream);
    }
    fd_handle_release(&gate->handle);
    return status;
}

fd_status fd_gate_close(fd_gate *gate, fd_stream *stream)
{
    return fd_trace_call("fd_gate_close", fd_stream_device(stream), fd_stream_id(stream), 0,
                         close_gate(gate, stream));
}

static fd_status open_gate(fd_gate *gate)
{
    const fd_status status = acquire(gate);
    if (status != FD_OK)
        return status;
    fd_scheduler_lock();
    fd_scheduler_open(gate);
    fd_scheduler_unlock();
    fd_handle_release(&gate->handle);
    return FD_OK;
}

fd_status fd_gate_open(fd_gate *gate)
{
    return fd_trace_call("fd_gate_open", -1, -1, 0, open_gate(gate));
}

static fd_status destroy(fd_gate *gate)
{
    const fd_status status = open_gate(gate);
    if (status != FD_OK)
        return status;
    if (!fd_handle_withdraw(gate, FD_HANDLE_GATE))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live gate", (void *)gate);
    fd_handle_release(&gate->handle);
    return FD_OK;
}

fd_status fd_gate_destroy(fd_gate *gate)
{
    return fd_trace_call("fd_gate_destroy", -1, -1, 0, gate ? destroy(gate) : FD_OK);
}
