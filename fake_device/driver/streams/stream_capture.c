/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Capturing streams: the work that they record, and the operations that they refuse.
 */
#include "stream_capture.h"

#include "error.h"
#include "fakedev_faults.h"
#include "scheduler.h"

fd_status fd_capture_start(struct fd_capture *capture, fd_stream *stream)
{
    fd_status status = FD_OK;
    fd_scheduler_lock();
    if (stream->capture) {
        status = fd_fail(FD_ERROR_CAPTURING, "stream %lld captures already", (long long)stream->id);
    } else {
        fd_handle_share(&stream->handle);
        stream->capture = capture;
        capture->stream = stream;
    }
    fd_scheduler_unlock();
    return status;
}

bool fd_capture_stop(struct fd_capture *capture)
{
    fd_scheduler_lock();
    fd_stream *const stream = capture->stream;
    if (stream)
        stream->capture = NULL;
    capture->stream = NULL;
    fd_scheduler_unlock();
    fd_stream_release(stream);
    return stream != NULL;
}

fd_status fd_capture_record(fd_stream *stream, struct fd_work *work)
{
    if (work->kind != FD_WORK_RUN)
        return fd_fail(FD_ERROR_CAPTURING, "stream %lld captures, and %s cannot be in a graph",
                       (long long)stream->id, work->name);
    if (fd_fault("graph.captured_work_runs"))
        (void)work->task(work->arguments);
    fd_task_queue_push(&stream->capture->recorded, work);
    return FD_OK;
}

/* Returns whether the stream is capturing. If it is, `owner` receives the keeper of the graph;
 * otherwise `owner` is unchanged. */
static bool captures(fd_stream *stream, fd_stream **owner)
{
    fd_scheduler_lock();
    const struct fd_capture *capture = stream->capture;
    if (capture && owner)
        *owner = capture->keeper;
    fd_scheduler_unlock();
    return capture != NULL;
}

fd_stream *fd_stream_memory_owner(fd_stream *stream)
{
    fd_stream *owner = stream;
    if (!fd_fault("graph.memory_is_reused"))
        (void)captures(stream, &owner);
    return owner;
}

fd_status fd_capture_refuse_wait(fd_stream *stream)
{
    if (captures(stream, NULL))
        return fd_fail(FD_ERROR_CAPTURING, "stream %lld captures: there is nothing to wait for",
                       (long long)stream->id);
    return FD_OK;
}

fd_status fd_stream_is_capturing(fd_stream *stream, int32_t *capturing)
{
    const fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    *capturing = captures(stream, NULL);
    fd_stream_release(stream);
    return FD_OK;
}
