/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All streams of the process, by id (live ones) and by device (also destroyed ones that still have
 * work or are still referred to). Everything here needs the scheduler's lock.
 */
#ifndef FD_STREAM_REGISTRY_H
#define FD_STREAM_REGISTRY_H

#include "stream.h"

/* Gives the stream its id: 0 for a default stream, else one that was never given before. */
void fd_registry_add(fd_stream *stream, bool is_default);
/* NULL if no live stream of the device has this id. */
fd_stream *fd_registry_find(int32_t device, int64_t id);
/* No longer found by id. */
void fd_registry_retire(fd_stream *stream);
/* No longer found at all. An error nobody has asked for stays pending on the device. */
void fd_registry_remove(fd_stream *stream);
/* Start of the list linked by next_on_device. Some may be on their way out: take references with
 * fd_handle_share_if_alive. */
fd_stream *fd_registry_first(int32_t device);
/* The pending error that streams have left behind. */
struct fd_async_error *fd_registry_orphaned_error(int32_t device);

#endif
