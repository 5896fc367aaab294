/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Enqueues work on a stream and waits for it: launch, callback, query, synchronise, and helpers for
 * the other files of this folder.
 */
#include "counters.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "scheduler.h"
#include "settings.h"
#include "stream.h"
#include "stream_capture.h"
#include "trace.h"
#include "worker.h"

#include <sched.h>

/* ---- enqueue --------------------------------------------------------------------------------- */

static bool needs_worker(const struct fd_work *work)
{
    const bool executes = work->kind == FD_WORK_RUN || work->kind == FD_WORK_CALLBACK ||
                          (work->kind == FD_WORK_RECORD && fd_settings()->late_completion);
    return executes && !fd_settings()->eager_streams;
}

static fd_status make_room(fd_stream *stream, const struct fd_work *work)
{
    if (fd_stream_submitted(stream) - fd_stream_completed(stream) >= FD_QUEUE_LIMIT)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "stream %lld has %u tasks pending, its limit",
                       (long long)stream->id, FD_QUEUE_LIMIT);
    return needs_worker(work) && !stream->has_worker ? fd_worker_start(stream) : FD_OK;
}

static fd_status submit(fd_stream *stream, struct fd_work *work, uint64_t *sequence)
{
    const fd_status status = make_room(stream, work);
    if (status != FD_OK)
        return status;
    fd_scheduler_append(stream, work);
    const uint64_t number = work->sequence;
    if (sequence)
        *sequence = number;
    if (fd_settings()->eager_streams)
        fd_worker_help(stream, number);
    return FD_OK;
}

fd_status fd_stream_enqueue(fd_stream *stream, struct fd_work *work, uint64_t *sequence)
{
    if (!work)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a task");
    if (fd_variant_is_on("slow_calls"))
        for (int turn = 0; turn < 20; turn++)
            sched_yield();
    fd_scheduler_lock();
    const fd_status status =
        stream->capture ? fd_capture_record(stream, work) : submit(stream, work, sequence);
    fd_scheduler_unlock();
    if (status != FD_OK)
        fd_work_discard(work);
    return status;
}

static fd_status launch(fd_stream *stream, const char *name, fd_task task, const void *arguments,
                        size_t size)
{
    if (!name || !task || (size && !arguments) || size > FD_TASK_ARGUMENTS_MAX)
        return fd_fail(FD_ERROR_INVALID_VALUE,
                       "a launch needs a name, a task and at most %u bytes of arguments",
                       FD_TASK_ARGUMENTS_MAX);
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    struct fd_work *work = fd_work_create(FD_WORK_RUN, name, arguments, size);
    if (work)
        work->task = task;
    if (work && fd_fault("stream.launch_ignores_order")) {
        (void)task(work->arguments);
        work->task = fd_work_nothing;
    }
    status = fd_stream_enqueue(stream, work, NULL);
    fd_stream_release(stream);
    return status;
}

fd_status fd_stream_launch(fd_stream *stream, const char *name, fd_task task, const void *arguments,
                           size_t size)
{
    const fd_status status = launch(stream, name, task, arguments, size);
    return fd_trace_call("fd_stream_launch", fd_stream_device(stream), fd_stream_id(stream), 0,
                         status);
}

static fd_status call_back(fd_stream *stream, void (*callback)(void *data), void *data)
{
    if (!callback)
        return fd_fail(FD_ERROR_INVALID_VALUE, "callback is NULL");
    fd_status status = fd_driver_check_fork();
    if (status != FD_OK)
        return status;
    /* A lost device also accepts callbacks, because bookkeeping of the host must continue. */
    if (!fd_stream_retain(stream))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live stream", (void *)stream);
    struct fd_work *work = fd_work_create(FD_WORK_CALLBACK, "host callback", &data, sizeof data);
    if (work)
        work->callback = callback;
    status = fd_stream_enqueue(stream, work, NULL);
    fd_stream_release(stream);
    return status;
}

fd_status fd_stream_callback(fd_stream *stream, void (*callback)(void *data), void *data)
{
    const fd_status status = call_back(stream, callback, data);
    return fd_trace_call("fd_stream_callback", fd_stream_device(stream), fd_stream_id(stream), 0,
                         status);
}

/* ---- wait ------------------------------------------------------------------------------------ */

fd_status fd_stream_wait_until(fd_stream *stream, uint64_t sequence)
{
    if (fd_stream_completed(stream) >= sequence)
        return FD_OK;
    if (fd_worker_is_inside_task())
        return fd_fail(FD_ERROR_INVALID_VALUE, "a task must not wait for a stream");
    fd_scheduler_lock();
    while (fd_stream_completed(stream) < sequence)
        fd_scheduler_wait(&stream->progress);
    fd_scheduler_unlock();
    return FD_OK;
}

fd_status fd_stream_take_error(fd_stream *stream, uint64_t sequence)
{
    struct fd_async_error taken;
    fd_scheduler_lock();
    fd_async_error_take(&stream->error, sequence, &taken);
    fd_scheduler_unlock();
    if (taken.status != FD_OK)
        return fd_async_error_report(&taken);
    return fd_device_check(stream->device);
}

static fd_status query(fd_stream *stream)
{
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    if (fd_fault("stream.query_blocks"))
        (void)fd_stream_wait_until(stream, fd_stream_submitted(stream));
    status = fd_capture_refuse_wait(stream);
    if (status == FD_OK && fd_stream_completed(stream) < fd_stream_submitted(stream))
        status = fd_fault("stream.query_always_done") ? FD_OK : FD_ERROR_NOT_READY;
    fd_stream_release(stream);
    return status;
}

fd_status fd_stream_query(fd_stream *stream)
{
    const fd_status status = query(stream);
    return fd_trace_call("fd_stream_query", fd_stream_device(stream), fd_stream_id(stream), 0,
                         status);
}

static fd_status synchronize(fd_stream *stream)
{
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    const uint64_t end = fd_stream_submitted(stream);
    status = fd_capture_refuse_wait(stream);
    if (status == FD_OK && !fd_fault("stream.synchronize_returns_early"))
        status = fd_stream_wait_until(stream, end);
    if (status == FD_OK)
        status = fd_stream_take_error(stream, end);
    fd_stream_release(stream);
    return status;
}

fd_status fd_stream_synchronize(fd_stream *stream)
{
    fd_count(&fd_live.synchronizations);
    const fd_status status = synchronize(stream);
    return fd_trace_call("fd_stream_synchronize", fd_stream_device(stream), fd_stream_id(stream), 0,
                         status);
}
