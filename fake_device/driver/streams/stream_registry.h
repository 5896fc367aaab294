/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two indices of the process's streams: by id (live streams) and by device (also destroyed streams
 * with work or references). The caller of every function holds the scheduler's lock.
 */
#ifndef FD_STREAM_REGISTRY_H
#define FD_STREAM_REGISTRY_H

#include "stream.h"

/* Assigns an id to the stream: 0 for a default stream, otherwise a number never used before. */
void fd_registry_add(fd_stream *stream, bool is_default);
/* Returns NULL if no live stream of the device has this id. */
fd_stream *fd_registry_find(int32_t device, int64_t id);
/* Removes the stream from the index by id. */
void fd_registry_retire(fd_stream *stream);
/* Removes the stream from both indices. An error that was not reported stays pending on the
 * device. */
void fd_registry_remove(fd_stream *stream);
/* Returns the head of the list linked by next_on_device. Another thread may be destroying a stream
 * in this list, so take references with fd_handle_share_if_alive. */
fd_stream *fd_registry_first(int32_t device);
/* The pending error of the device's streams that no longer exist. */
struct fd_async_error *fd_registry_orphaned_error(int32_t device);

#endif
