/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The internal structure of a stream (identity, queue, state), for the files of streams and
 * scheduler. All other driver files include stream_internal.h instead.
 */
#ifndef FD_STREAM_H
#define FD_STREAM_H

#include "handle.h"
#include "stream_error.h"
#include "stream_internal.h"
#include "task_queue.h"

#include <pthread.h>

enum fd_stream_state {
    FD_STREAM_IDLE,    /* no work, or new work not yet examined */
    FD_STREAM_HELD,    /* the first item waits at a gate or a mark */
    FD_STREAM_READY,   /* the first item waits for a compute slot */
    FD_STREAM_GRANTED, /* the worker may take the first item */
    FD_STREAM_RUNNING, /* the worker is executing the first item */
};

struct fd_capture;

struct fd_stream {
    struct fd_handle handle;
    int64_t id;
    int32_t device, priority;
    _Atomic uint64_t submitted, completed;
    /* all fields below are protected by the scheduler's lock */
    struct fd_task_queue queue;
    enum fd_stream_state state;
    bool has_worker;
    bool abandoned;   /* destroyed by its owner: the worker exits when all work is done */
    bool unsettled;   /* the stream is in the scheduler's list of streams to examine */
    pthread_t runner; /* valid while RUNNING */
    uint64_t granted_ns;
    struct fd_async_error error;
    bool is_keeper;             /* stream of a graph; synchronisation ignores it */
    struct fd_capture *capture; /* if set, work is recorded here and does not run */
    fd_stream **held_in;        /* while HELD: the list of the gate or mark */
    fd_stream *next_unsettled, *next_held, *next_ready;
    fd_stream *next_on_device, *next_by_id; /* used by the registry */
    pthread_cond_t wake;                    /* signals the worker */
    pthread_cond_t progress;                /* signals host threads */
};

/* Creates a stream with a new id. Returns NULL if memory is exhausted. */
fd_stream *fd_stream_make(int32_t device, int32_t priority);
/* Takes a reference to a live stream of a working device. Returns FD_OK or the reason for the
 * failure. */
fd_status fd_stream_open(fd_stream *stream);
/* Enqueues `work` and takes ownership of it, also on failure. A NULL `work` is reported as out
 * of memory. `sequence` (may be NULL) receives the number of the item. The caller must hold a
 * reference. */
fd_status fd_stream_enqueue(fd_stream *stream, struct fd_work *work, uint64_t *sequence);
/* Blocks until all work up to `sequence` is done. Refused inside a task. */
fd_status fd_stream_wait_until(fd_stream *stream, uint64_t sequence);
/* Returns the pending error of a task up to `sequence` (only once), or FD_ERROR_DEVICE_LOST. */
fd_status fd_stream_take_error(fd_stream *stream, uint64_t sequence);

#endif
