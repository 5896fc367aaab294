/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The public calls on streams: life cycle, identity, waiting, launching. Checks arguments and
 * writes the trace. The scheduler decides when work may run.
 */
#include "stream.h"

#include "counters.h"
#include "current_id.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "scheduler.h"
#include "settings.h"
#include "stream_registry.h"
#include "trace.h"

#include <stdlib.h>

/* ---- references ------------------------------------------------------------------------------ */

fd_stream *fd_stream_retain(fd_stream *stream)
{
    return fd_handle_acquire(stream, FD_HANDLE_STREAM) ? stream : NULL;
}

void fd_stream_release(fd_stream *stream)
{
    fd_handle_release((struct fd_handle *)stream);
}

static fd_status acquire(fd_stream *stream)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_stream_retain(stream))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live stream", (void *)stream);
    return FD_OK;
}

fd_status fd_stream_open(fd_stream *stream)
{
    fd_status status = acquire(stream);
    if (status != FD_OK)
        return status;
    status = fd_device_check(stream->device);
    if (status != FD_OK)
        fd_stream_release(stream);
    return status;
}

/* ---- life cycle ------------------------------------------------------------------------------ */

static void finish_stream(struct fd_handle *handle)
{
    fd_stream *stream = (fd_stream *)handle;
    fd_scheduler_lock();
    fd_registry_remove(stream);
    fd_scheduler_unlock();
    pthread_cond_destroy(&stream->wake);
    pthread_cond_destroy(&stream->progress);
    free(stream);
}

static fd_stream *new_stream(int32_t device, int32_t priority)
{
    fd_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->device = device;
    stream->priority = priority;
    pthread_cond_init(&stream->wake, NULL);
    pthread_cond_init(&stream->progress, NULL);
    return stream;
}

/* The caller holds the scheduler's lock. */
static void enter(fd_stream *stream, bool is_default)
{
    fd_registry_add(stream, is_default);
    fd_handle_publish(&stream->handle, FD_HANDLE_STREAM, finish_stream);
}

/* The default stream is created at its first use. The caller holds the scheduler's lock. Returns
 * NULL if memory is exhausted. */
static fd_stream *default_stream(int32_t device)
{
    fd_stream *stream = fd_registry_find(device, 0);
    if (stream)
        return stream;
    stream = new_stream(device, 0);
    if (stream)
        enter(stream, true);
    return stream;
}

static fd_status get_default(int32_t device, fd_stream **stream)
{
    if (!stream)
        return fd_fail(FD_ERROR_INVALID_VALUE, "stream is NULL");
    const fd_status status = fd_device_check(device);
    if (status != FD_OK)
        return status;
    fd_scheduler_lock();
    fd_stream *found = default_stream(device);
    fd_scheduler_unlock();
    if (!found)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a stream");
    *stream = found;
    return FD_OK;
}

fd_status fd_stream_default(int32_t device, fd_stream **stream)
{
    return fd_trace_call("fd_stream_default", device, 0, 0, get_default(device, stream));
}

static int32_t clamp(int32_t priority, const struct fd_properties *properties)
{
    if (priority < properties->priority_highest)
        return properties->priority_highest;
    return priority > properties->priority_lowest ? properties->priority_lowest : priority;
}

fd_stream *fd_stream_make(int32_t device, int32_t priority)
{
    fd_stream *made = new_stream(device, priority);
    if (made) {
        fd_scheduler_lock();
        enter(made, false);
        fd_scheduler_unlock();
    }
    return made;
}

static fd_status create(int32_t device, int32_t priority, fd_stream **stream)
{
    if (!stream)
        return fd_fail(FD_ERROR_INVALID_VALUE, "stream is NULL");
    struct fd_properties properties;
    const fd_status status = fd_device_properties(device, &properties);
    if (status != FD_OK)
        return status;
    if (fd_fault("stream.all_equal_default"))
        return fd_stream_default(device, stream);
    fd_stream *made = fd_stream_make(fd_fault("stream.create_ignores_device") ? 0 : device,
                                     clamp(priority, &properties));
    if (!made)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a stream");
    fd_count(&fd_live.streams_created);
    *stream = made;
    if (fd_fault("stream.create_switches_current"))
        fd_current_set_id(made->device, made->id);
    return FD_OK;
}

fd_status fd_stream_create(int32_t device, int32_t priority, fd_stream **stream)
{
    const fd_status status = create(device, priority, stream);
    return fd_trace_call("fd_stream_create", device, status == FD_OK ? fd_stream_id(*stream) : -1,
                         0, status);
}

static fd_status destroy(fd_stream *stream)
{
    const fd_status status = acquire(stream);
    if (status != FD_OK)
        return status;
    if (stream->id == 0) {
        fd_stream_release(stream);
        return fd_fail(FD_ERROR_INVALID_VALUE, "a default stream is never destroyed");
    }
    /* If two threads destroy the stream at the same time, only one thread succeeds. */
    if (!fd_handle_withdraw(stream, FD_HANDLE_STREAM)) {
        fd_stream_release(stream);
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live stream", (void *)stream);
    }
    fd_scheduler_lock();
    fd_registry_retire(stream);
    stream->abandoned = true;
    pthread_cond_broadcast(&stream->wake);
    fd_scheduler_unlock();
    fd_count(&fd_live.streams_destroyed);
    fd_stream_release(stream); /* reference of the set of live handles */
    fd_stream_release(stream);
    return FD_OK;
}

fd_status fd_stream_destroy(fd_stream *stream)
{
    if (!stream)
        return FD_OK;
    const int32_t device = fd_stream_device(stream);
    const int64_t id = fd_stream_id(stream);
    return fd_trace_call("fd_stream_destroy", device, id, 0, destroy(stream));
}

/* ---- identity -------------------------------------------------------------------------------- */

static fd_status from_id(int32_t device, int64_t id, fd_stream **stream)
{
    if (!stream)
        return fd_fail(FD_ERROR_INVALID_VALUE, "stream is NULL");
    const fd_status status = fd_device_check(device);
    if (status != FD_OK)
        return status;
    fd_scheduler_lock();
    fd_stream *found = id == 0 ? default_stream(device) : fd_registry_find(device, id);
    fd_scheduler_unlock();
    if (!found)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "device %d has no live stream %lld", device,
                       (long long)id);
    *stream = found;
    return FD_OK;
}

fd_status fd_stream_from_id(int32_t device, int64_t id, fd_stream **stream)
{
    return fd_trace_call("fd_stream_from_id", device, id, 0, from_id(device, id, stream));
}

struct identity {
    int64_t id;
    int32_t device, priority;
};

static struct identity identity_of(const fd_stream *handle)
{
    fd_stream *stream = (fd_stream *)(uintptr_t)handle;
    struct identity identity = {-1, -1, 0};
    if (fd_forked_after_start() || !fd_stream_retain(stream))
        return identity;
    identity = (struct identity){stream->id, stream->device, stream->priority};
    fd_stream_release(stream);
    return identity;
}

int64_t fd_stream_id(const fd_stream *stream)
{
    return identity_of(stream).id;
}

int32_t fd_stream_device(const fd_stream *stream)
{
    return identity_of(stream).device;
}

int32_t fd_stream_priority(const fd_stream *stream)
{
    return identity_of(stream).priority;
}

uint64_t fd_stream_submitted(fd_stream *stream)
{
    return atomic_load_explicit(&stream->submitted, memory_order_acquire);
}

uint64_t fd_stream_completed(fd_stream *stream)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire);
}

int32_t fd_stream_is_keeper(const fd_stream *stream)
{
    return stream->is_keeper;
}
