/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphs: work that was recorded while a stream captured, and that can be enqueued repeatedly.
 *
 * Memory of a graph belongs to its keeper, an internal stream. A gate is closed on the keeper for
 * the lifetime of the graph, so the allocator reuses a freed block only for later captures of the
 * same graph.
 */
#include "device.h"
#include "error.h"
#include "scheduler.h"
#include "stream_capture.h"
#include "trace.h"

#include <stdlib.h>

struct fd_graph {
    struct fd_handle handle;
    struct fd_capture capture;
    fd_gate *gate; /* closed on the keeper stream */
};

/* ---- life ------------------------------------------------------------------------------------ */

static void finish_graph(struct fd_handle *handle)
{
    fd_graph *graph = (fd_graph *)handle;
    for (struct fd_work *work; (work = fd_task_queue_pop(&graph->capture.recorded));)
        fd_work_discard(work);
    (void)fd_gate_destroy(graph->gate);
    (void)fd_stream_destroy(graph->capture.keeper);
    free(graph);
}

static fd_status acquire(fd_graph *graph)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_handle_acquire(graph, FD_HANDLE_GRAPH))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live graph", (void *)graph);
    return FD_OK;
}

/* Enqueues the gate directly, without the check that refuses gates on eager streams. Here the gate
 * may be on an eager stream, because only the allocator waits for this gate. */
static void close_gate(fd_graph *graph, struct fd_work *work)
{
    fd_handle_share((struct fd_handle *)graph->gate);
    work->gate = graph->gate;
    fd_scheduler_lock();
    graph->capture.keeper->is_keeper = true;
    fd_scheduler_append(graph->capture.keeper, work);
    fd_scheduler_unlock();
}

static fd_status make_keeper(fd_graph *graph, int32_t device)
{
    const fd_status status = fd_gate_create(&graph->gate);
    struct fd_work *work = fd_work_create(FD_WORK_GATE, "memory of a graph", NULL, 0);
    graph->capture.keeper = fd_stream_make(device, 0);
    if (status == FD_OK && work && graph->capture.keeper) {
        close_gate(graph, work);
        return FD_OK;
    }
    free(work);
    return status == FD_OK ? fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a graph") : status;
}

/* ---- capture --------------------------------------------------------------------------------- */

static fd_status begin(fd_stream *stream, fd_graph **graph)
{
    if (!graph)
        return fd_fail(FD_ERROR_INVALID_VALUE, "graph is NULL");
    fd_status status = fd_stream_open(stream);
    if (status != FD_OK)
        return status;
    fd_graph *made = calloc(1, sizeof *made);
    status = made ? make_keeper(made, stream->device)
                  : fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for a graph");
    if (status == FD_OK)
        status = fd_capture_start(&made->capture, stream);
    fd_stream_release(stream);
    if (status == FD_OK) {
        fd_handle_publish(&made->handle, FD_HANDLE_GRAPH, finish_graph);
        *graph = made;
    } else if (made) {
        finish_graph(&made->handle);
    }
    return status;
}

fd_status fd_graph_begin(fd_stream *stream, fd_graph **graph)
{
    return fd_trace_call("fd_graph_begin", fd_stream_device(stream), fd_stream_id(stream), 0,
                         begin(stream, graph));
}

static fd_status end(fd_graph *graph)
{
    fd_status status = acquire(graph);
    if (status != FD_OK)
        return status;
    if (!fd_capture_stop(&graph->capture))
        status = fd_fail(FD_ERROR_INVALID_VALUE, "no stream captures this graph");
    fd_handle_release(&graph->handle);
    return status;
}

fd_status fd_graph_end(fd_graph *graph)
{
    return fd_trace_call("fd_graph_end", -1, -1, 0, end(graph));
}

static fd_status destroy(fd_graph *graph)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_handle_withdraw(graph, FD_HANDLE_GRAPH))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live graph", (void *)graph);
    (void)fd_capture_stop(&graph->capture);
    fd_handle_release(&graph->handle);
    return FD_OK;
}

fd_status fd_graph_destroy(fd_graph *graph)
{
    return fd_trace_call("fd_graph_destroy", -1, -1, 0, graph ? destroy(graph) : FD_OK);
}

/* ---- replay ---------------------------------------------------------------------------------- */

/* A task of a replay. This task runs the recorded task, with arguments that the graph owns. */
struct again {
    fd_graph *graph; /* owns a reference */
    struct fd_work *recorded;
};

static fd_status run_again(void *arguments)
{
    const struct again *again = arguments;
    return again->recorded->task(again->recorded->arguments);
}

static void discard_again(void *arguments)
{
    fd_handle_release(&((struct again *)arguments)->graph->handle);
}

static fd_status enqueue_again(fd_graph *graph, struct fd_work *recorded, fd_stream *stream)
{
    const struct again again = {graph, recorded};
    struct fd_work *work = fd_work_create(FD_WORK_RUN, recorded->name, &again, sizeof again);
    if (work) {
        fd_handle_share(&graph->handle);
        work->task = run_again;
        work->bytes = recorded->bytes;
        work->discard = discard_again;
    }
    return fd_stream_enqueue(stream, work, NULL);
}

static fd_status enqueue_all(fd_graph *graph, fd_stream *stream)
{
    fd_status status = FD_OK;
    if (graph->capture.stream)
        return fd_fail(FD_ERROR_CAPTURING, "the graph is still being captured");
    for (struct fd_work *work = graph->capture.recorded.first; work && status == FD_OK;
         work = work->next)
        status = enqueue_again(graph, work, stream);
    return status;
}

static fd_status launch(fd_graph *graph, fd_stream *stream)
{
    fd_status status = acquire(graph);
    if (status != FD_OK)
        return status;
    status = fd_stream_open(stream);
    if (status == FD_OK) {
        status = stream->device == graph->capture.keeper->device
                     ? enqueue_all(graph, stream)
                     : fd_fail(FD_ERROR_INVALID_VALUE, "a graph of device %d on device %d",
                               graph->capture.keeper->device, stream->device);
        fd_stream_release(stream);
    }
    fd_handle_release(&graph->handle);
    return status;
}

fd_status fd_graph_launch(fd_graph *graph, fd_stream *stream)
{
    return fd_trace_call("fd_graph_launch", fd_stream_device(stream), fd_stream_id(stream), 0,
                         launch(graph, stream));
}

const char *fd_graph_task_name(fd_graph *graph, size_t index)
{
    if (acquire(graph) != FD_OK)
        return NULL;
    const struct fd_work *work = graph->capture.recorded.first;
    for (; work && index > 0; index--)
        work = work->next;
    const char *name = work ? work->name : NULL;
    fd_handle_release(&graph->handle);
    return name;
}
