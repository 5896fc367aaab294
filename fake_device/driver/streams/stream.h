/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stream as the files of this corner of the driver see it: identity, queue, state. Everything
 * else in the driver includes stream_internal.h instead.
 */
#ifndef FD_STREAM_H
#define FD_STREAM_H

#include "handle.h"
#include "stream_error.h"
#include "stream_internal.h"
#include "task_queue.h"

#include <pthread.h>

enum fd_stream_state {
    FD_STREAM_IDLE,    /* nothing to do, or not yet looked at */
    FD_STREAM_HELD,    /* first item waits at a gate or a mark */
    FD_STREAM_READY,   /* first item waits for a compute slot */
    FD_STREAM_GRANTED, /* the worker may take the first item */
    FD_STREAM_RUNNING, /* the worker executes it */
};

struct fd_capture;

struct fd_stream {
    struct fd_handle handle;
    int64_t id;
    int32_t device, priority;
    _Atomic uint64_t submitted, completed;
    /* all below: under the scheduler's lock */
    struct fd_task_queue queue;
    enum fd_stream_state state;
    bool has_worker;
    bool abandoned;   /* destroyed by its owner: the worker leaves when all is done */
    bool unsettled;   /* is in the scheduler's list of streams to look at */
    pthread_t runner; /* valid while RUNNING */
    uint64_t granted_ns;
    struct fd_async_error error;
    bool is_keeper;             /* of the memory of a graph: nobody waits for it */
    struct fd_capture *capture; /* what its work is kept in, instead of running */
    fd_stream **held_in;        /* the list of the gate or mark, while HELD */
    fd_stream *next_unsettled, *next_held, *next_ready;
    fd_stream *next_on_device, *next_by_id; /* the registry's */
    pthread_cond_t wake;                    /* for the worker */
    pthread_cond_t progress;                /* for host threads */
};

/* A new stream with an id of its own; NULL when memory is exhausted. */
fd_stream *fd_stream_make(int32_t device, int32_t priority);
/* A reference to a live stream of a device that works; FD_OK or why not. */
fd_status fd_stream_open(fd_stream *stream);
/* Enqueues and takes `work` over, also when it fails; NULL is out of memory. `sequence` (may be
 * NULL) gets its number. The caller has a reference. */
fd_status fd_stream_enqueue(fd_stream *stream, struct fd_work *work, uint64_t *sequence);
/* Blocks until everything up to `sequence` is done. Refused inside a task. */
fd_status fd_stream_wait_until(fd_stream *stream, uint64_t sequence);
/* Reports (once) what a task up to `sequence` returned, or that the device is lost. */
fd_status fd_stream_take_error(fd_stream *stream, uint64_t sequence);

#endif
