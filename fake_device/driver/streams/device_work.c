/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Queue operations on a whole device: wait for all work, drop all work, report any error. Called by
 * devices.
 */
#include "device.h"
#include "error.h"
#include "scheduler.h"
#include "stream_registry.h"
#include "worker.h"

#include <stdlib.h>

struct target {
    fd_stream *stream; /* owns a reference */
    uint64_t sequence;
};

static size_t count_streams(int32_t device)
{
    size_t count = 0;
    for (const fd_stream *stream = fd_registry_first(device); stream;
         stream = stream->next_on_device)
        count++;
    return count;
}

/* Collects the work that is pending at this moment, including the work of destroyed streams. */
static fd_status collect(int32_t device, struct target **targets, size_t *count)
{
    fd_status status = FD_OK;
    size_t used = 0;
    fd_scheduler_lock();
    struct target *list = calloc(count_streams(device) + 1, sizeof *list);
    if (!list)
        status = fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a list of streams");
    fd_stream *stream = list ? fd_registry_first(device) : NULL;
    for (; stream; stream = stream->next_on_device) {
        if (stream->capture)
            status = fd_fail(FD_ERROR_CAPTURING, "stream %lld of the device captures",
                             (long long)stream->id);
        if (!stream->is_keeper && fd_handle_share_if_alive(&stream->handle))
            list[used++] = (struct target){stream, fd_stream_submitted(stream)};
    }
    fd_scheduler_unlock();
    *targets = list;
    *count = used;
    return status;
}

fd_status fd_streams_synchronize(int32_t device)
{
    struct target *targets = NULL;
    size_t count = 0;
    fd_status status = collect(device, &targets, &count);
    for (size_t i = 0; i < count; i++) {
        if (status == FD_OK)
            status = fd_stream_wait_until(targets[i].stream, targets[i].sequence);
        fd_stream_release(targets[i].stream);
    }
    free(targets);
    return status == FD_OK ? fd_device_check(device) : status;
}

fd_status fd_streams_take_error(int32_t device)
{
    struct fd_async_error oldest = {.status = FD_OK}, taken;
    fd_scheduler_lock();
    fd_async_error_take(fd_registry_orphaned_error(device), UINT64_MAX, &taken);
    fd_async_error_keep_oldest(&oldest, &taken);
    fd_stream *stream = fd_registry_first(device);
    for (; stream; stream = stream->next_on_device) {
        fd_async_error_take(&stream->error, UINT64_MAX, &taken);
        fd_async_error_keep_oldest(&oldest, &taken);
    }
    fd_scheduler_unlock();
    return fd_async_error_report(&oldest);
}

void fd_streams_drop_work(int32_t device, fd_status reason)
{
    fd_scheduler_lock();
    for (fd_stream *stream = fd_registry_first(device); stream; stream = stream->next_on_device)
        fd_scheduler_drop(stream, reason);
    fd_scheduler_unlock();
}
