/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions of the rest of the driver to streams: how far a queue has come, and the device-wide
 * calls. Called by devices, allocator and pinned memory. It must not know how queues work.
 */
#ifndef FAKEDEV_STREAM_INTERNAL_H
#define FAKEDEV_STREAM_INTERNAL_H

#include "fakedev.h"

#define FD_COMPUTE_SLOTS 4 /* tasks of one device that run at the same time */

/* Sequence marks. Every task gets the next number of its stream; `completed` is the number up to
 * which all are done. Work enqueued so far is over once completed >= the submitted of now.
 * Lock-free: may be called with any lock held. Both need a live or a retained stream. */
uint64_t fd_stream_submitted(fd_stream *stream);
uint64_t fd_stream_completed(fd_stream *stream);
/* The owner of memory allocated on it: the stream, or the keeper of the graph that it captures. */
fd_stream *fd_stream_memory_owner(fd_stream *stream);
/* Whether it stands for a graph, which has its memory until it ends (graph.c). */
int32_t fd_stream_is_keeper(const fd_stream *stream);

/* A reference keeps the structure readable after the user destroyed the stream (its pending work
 * still runs and still counts). Retain answers NULL for what is not a live stream, also for a
 * destroyed one; release accepts NULL. Both may be called with locks of the caller held. */
fd_stream *fd_stream_retain(fd_stream *stream);
void fd_stream_release(fd_stream *stream);

/* Blocks until the work enqueued on the device so far is done, work of destroyed streams included.
 * FD_OK, or FD_ERROR_DEVICE_LOST when the device was lost meanwhile. Takes no pending error. */
fd_status fd_streams_synchronize(int32_t device);
/* The oldest pending asynchronous error of the device (its text becomes the thread's error text);
 * it and all younger ones are forgotten. FD_OK if there is none. */
fd_status fd_streams_take_error(int32_t device);
/* Work not yet started is dropped, host callbacks excepted; whoever waits for it gets `reason`. */
void fd_streams_drop_work(int32_t device, fd_status reason);

#endif
