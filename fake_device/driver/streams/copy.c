/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies between device, pinned and pageable memory, and memset. Addresses are translated when the
 * copy is enqueued, so the host may free both blocks immediately afterwards. Stream order protects
 * device memory, and the copy shares ownership of pinned memory.
 */
#include "counters.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "memory.h"
#include "milestone.h"
#include "stream.h"
#include "stream_capture.h"
#include "trace.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

#define PAGEABLE (-2) /* a device index that fd_block does not use */

/* Source or destination of a copy. */
struct end {
    void *alias;
    int32_t device; /* -1: pinned; PAGEABLE: any other host memory */
};

static fd_status look_up(const void *pointer, size_t size, struct end *end)
{
    if (!pointer)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%zu bytes at NULL", size);
    const fd_status status = fd_memory_alias(pointer, size, &end->alias);
    if (status != FD_OK)
        return status;
    struct fd_block block;
    end->device = fd_memory_find(pointer, &block) == FD_OK ? block.device : PAGEABLE;
    return end->device >= 0 ? fd_device_check(end->device) : FD_OK;
}

static fd_status look_up_both(void *destination, const void *source, size_t size, struct end *to,
                              struct end *from)
{
    const fd_status status = look_up(destination, size, to);
    return status == FD_OK ? look_up(source, size, from) : status;
}

/* ---- the task -------------------------------------------------------------------------------- */

struct copy {
    void *to;
    const void *from;
    size_t size;
    void *staging;               /* owned copy of the source, or NULL */
    struct fd_pinned *pinned[2]; /* shares of the pinned blocks that the copy accesses, or NULL */
};

static fd_status run_copy(void *arguments)
{
    const struct copy *copy = arguments;
    memmove(copy->to, copy->from, fd_fault("copy.drops_last_byte") ? copy->size - 1 : copy->size);
    return FD_OK;
}

static void discard_copy(void *arguments)
{
    struct copy *copy = arguments;
    if (!fd_fault("copy.staging_is_kept"))
        free(copy->staging);
    for (int i = 0; i < 2; i++)
        fd_pinned_release(copy->pinned[i]);
}

/* Takes ownership of all resources of the copy. */
static fd_status enqueue_copy(fd_stream *stream, struct copy *copy, uint64_t *sequence)
{
    const int32_t at_once = fd_fault("copy.ignores_stream_order");
    if (at_once)
        (void)run_copy(copy);
    struct fd_work *work = fd_work_create(FD_WORK_RUN, "copy", copy, sizeof *copy);
    if (work) {
        work->task = at_once ? fd_work_nothing : run_copy;
        work->bytes = copy->size;
        work->discard = discard_copy;
    } else {
        discard_copy(copy);
    }
    fd_count(&fd_live.copies);
    return fd_stream_enqueue(stream, work, sequence);
}

static fd_status await_copy(fd_stream *stream, uint64_t sequence)
{
    if (fd_fault("copy.to_host_returns_early"))
        return FD_OK;
    const fd_status status = fd_stream_wait_until(stream, sequence);
    return status == FD_OK ? fd_stream_take_error(stream, sequence) : status;
}

/* ---- asynchronous ---------------------------------------------------------------------------- */

static fd_status stage(struct copy *copy)
{
    if (fd_fault("copy.staging_skipped"))
        return FD_OK;
    copy->staging = malloc(copy->size);
    if (!copy->staging)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory to stage %zu bytes", copy->size);
    memcpy(copy->staging, copy->from, copy->size);
    copy->from = copy->staging;
    return FD_OK;
}

static void share_pinned(struct copy *copy, const struct end *to, const struct end *from)
{
    const struct end *const ends[] = {to, from};
    for (int i = 0; i < 2; i++)
        copy->pinned[i] = ends[i]->device == -1 ? fd_pinned_share(ends[i]->alias) : NULL;
}

static fd_status copy_on(fd_stream *stream, void *destination, const void *source, size_t size)
{
    struct end to, from;
    uint64_t sequence = 0;
    fd_status status = look_up_both(destination, source, size, &to, &from);
    if (status != FD_OK)
        return status;
    const bool waits = to.device == PAGEABLE;
    status = waits ? fd_capture_refuse_wait(stream) : FD_OK;
    if (status != FD_OK)
        return status;
    if (waits && fd_worker_is_inside_task())
        return fd_fail(FD_ERROR_INVALID_VALUE, "a task must not wait for a copy");
    struct copy copy = {.to = to.alias, .from = from.alias, .size = size};
    /* No staging is needed, because a caller that waits for the copy cannot change the source
     * during the wait. */
    if (from.device == PAGEABLE && !waits)
        status = stage(&copy);
    if (status == FD_OK) {
        share_pinned(&copy, &to, &from);
        status = enqueue_copy(stream, &copy, &sequence);
    }
    return status == FD_OK && waits ? await_copy(stream, sequence) : status;
}

static fd_status copy_async(void *destination, const void *source, size_t size, fd_stream *stream)
{
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    if (size > 0)
        status = copy_on(stream, destination, source, size);
    fd_stream_release(stream);
    return status;
}

fd_status fd_memory_copy_async(void *destination, const void *source, size_t size,
                               fd_stream *stream)
{
    const fd_status status = copy_async(destination, source, size, stream);
    return fd_trace_call("fd_memory_copy_async", fd_stream_device(stream), fd_stream_id(stream),
                         size, status);
}

/* ---- synchronous ----------------------------------------------------------------------------- */

/* Takes a reference to this thread's current stream of the device. */
static fd_status open_current(int32_t device, fd_stream **stream)
{
    fd_stream *current = NULL;
    fd_status status = fd_stream_get_current(device, &current);
    if (status == FD_OK)
        status = fd_stream_open(current);
    if (status == FD_OK)
        *stream = current;
    return status;
}

static fd_status enqueue_milestone(fd_stream *stream, enum fd_work_kind kind,
                                   struct fd_milestone *milestone)
{
    struct fd_work *work = fd_work_create(kind, "copy order", NULL, 0);
    if (work)
        work->mark = fd_milestone_share(milestone);
    return fd_stream_enqueue(stream, work, NULL);
}

/* A copy between devices runs after the pending work of both devices' streams. */
static fd_status wait_for_source(fd_stream *stream, int32_t source_device)
{
    fd_stream *source = NULL;
    fd_status status = open_current(source_device, &source);
    if (status != FD_OK)
        return status;
    struct fd_milestone *milestone = fd_milestone_create(source);
    if (!milestone)
        status = fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for the order of a copy");
    if (status == FD_OK)
        status = enqueue_milestone(source, FD_WORK_RECORD, milestone);
    if (status == FD_OK)
        status = enqueue_milestone(stream, FD_WORK_WAIT, milestone);
    fd_milestone_release(milestone);
    fd_stream_release(source);
    return status;
}

static fd_status copy_and_wait(fd_stream *stream, const struct end *to, const struct end *from,
                               size_t size)
{
    struct copy copy = {.to = to->alias, .from = from->alias, .size = size};
    uint64_t sequence = 0;
    fd_status status = fd_capture_refuse_wait(stream);
    if (status == FD_OK && from->device >= 0 && from->device != stream->device)
        status = wait_for_source(stream, from->device);
    if (status == FD_OK)
        status = enqueue_copy(stream, &copy, &sequence);
    return status == FD_OK ? await_copy(stream, sequence) : status;
}

static int32_t device_touched(const struct end *to, const struct end *from)
{
    int32_t current = 0;
    if (to->device >= 0)
        return to->device;
    if (from->device >= 0)
        return from->device;
    (void)fd_device_get(&current);
    return current;
}

static fd_status copy_now(void *destination, const void *source, size_t size)
{
    struct end to, from;
    fd_stream *stream = NULL;
    if (size == 0)
        return FD_OK;
    if (fd_worker_is_inside_task())
        return fd_fail(FD_ERROR_INVALID_VALUE, "a task must not wait for a copy");
    fd_status status = look_up_both(destination, source, size, &to, &from);
    if (status == FD_OK)
        status = open_current(device_touched(&to, &from), &stream);
    if (status != FD_OK)
        return status;
    status = copy_and_wait(stream, &to, &from, size);
    fd_stream_release(stream);
    return status;
}

fd_status fd_memory_copy(void *destination, const void *source, size_t size)
{
    return fd_trace_call("fd_memory_copy", -1, -1, size, copy_now(destination, source, size));
}

/* ---- set ------------------------------------------------------------------------------------- */

struct set {
    void *to;
    struct fd_pinned *pinned;
    size_t size;
    uint8_t value;
};

static fd_status run_set(void *arguments)
{
    const struct set *set = arguments;
    memset(set->to, set->value, set->size);
    return FD_OK;
}

static void discard_set(void *arguments)
{
    fd_pinned_release(((struct set *)arguments)->pinned);
}

static fd_status set_on(fd_stream *stream, void *pointer, uint8_t value, size_t size)
{
    struct end to;
    const fd_status status = look_up(pointer, size, &to);
    if (status != FD_OK)
        return status;
    if (to.device == PAGEABLE)
        return fd_fail(FD_ERROR_INVALID_VALUE, "%p is neither device nor pinned memory", pointer);
    if (to.device >= 0 && !fd_device_peer_enabled(stream->device, to.device))
        return fd_fail(FD_ERROR_PEER_DISABLED, "device %d may not touch memory of device %d",
                       stream->device, to.device);
    struct set set = {to.alias, to.device == -1 ? fd_pinned_share(to.alias) : NULL, size, value};
    struct fd_work *work = fd_work_create(FD_WORK_RUN, "set", &set, sizeof set);
    if (work) {
        work->task = run_set;
        work->bytes = size;
        work->discard = discard_set;
    } else {
        discard_set(&set);
    }
    return fd_stream_enqueue(stream, work, NULL);
}

static fd_status set_async(void *pointer, uint8_t value, size_t size, fd_stream *stream)
{
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    if (size > 0)
        status = set_on(stream, pointer, value, size);
    fd_stream_release(stream);
    return status;
}

fd_status fd_memory_set_async(void *pointer, uint8_t value, size_t size, fd_stream *stream)
{
    const fd_status status = set_async(pointer, value, size, stream);
    return fd_trace_call("fd_memory_set_async", fd_stream_device(stream), fd_stream_id(stream),
                         size, status);
}
