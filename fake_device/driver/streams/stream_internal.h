/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The interface of streams for the rest of the driver: the progress of a queue, and device-wide
 * calls. Called by devices, the allocator and pinned memory. Must not depend on the implementation
 * of queues.
 */
#ifndef FAKEDEV_STREAM_INTERNAL_H
#define FAKEDEV_STREAM_INTERNAL_H

#include "fakedev.h"

#define FD_COMPUTE_SLOTS 4 /* number of tasks that a device runs at the same time */

/* Sequence numbers. Every task gets the next number of its stream, and all tasks up to `completed`
 * are done. All work that is enqueued so far is done as soon as `completed` reaches the current
 * value of `submitted`. Both functions are lock-free and may be called with any lock held. The
 * stream must be live or retained. */
uint64_t fd_stream_submitted(fd_stream *stream);
uint64_t fd_stream_completed(fd_stream *stream);
/* Returns the owner of memory that is allocated on the stream: the stream itself or, while it
 * captures, the keeper of the graph. */
fd_stream *fd_stream_memory_owner(fd_stream *stream);
/* Returns 1 if the stream is the keeper of a graph. A keeper owns the graph's memory until the
 * graph is destroyed (graph.c). */
int32_t fd_stream_is_keeper(const fd_stream *stream);

/* A reference keeps the structure readable after the user has destroyed the stream. Pending work
 * of a destroyed stream still runs and is still counted. Retain returns NULL if the argument is
 * not a live stream, for example if it was destroyed. Release accepts NULL. The caller may hold
 * locks. */
fd_stream *fd_stream_retain(fd_stream *stream);
void fd_stream_release(fd_stream *stream);

/* Blocks until all work enqueued on the device so far is done, including the work of destroyed
 * streams. Returns FD_OK, or FD_ERROR_DEVICE_LOST if the device is lost meanwhile. Does not take a
 * pending error. */
fd_status fd_streams_synchronize(int32_t device);
/* Returns the oldest pending asynchronous error of the device, whose text becomes the thread's
 * error text. This error and all later errors are discarded. Returns FD_OK if no error is
 * pending. */
fd_status fd_streams_take_error(int32_t device);
/* Drops work that has not started, except host callbacks. Threads and streams that wait for the
 * dropped work receive `reason`. */
void fd_streams_drop_work(int32_t device, fd_status reason);

#endif
