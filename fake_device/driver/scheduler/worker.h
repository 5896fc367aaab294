/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Workers execute tasks: one thread per stream, started at its first task. With eager streams, the
 * calling thread executes the tasks. Called by streams only.
 */
#ifndef FD_WORKER_H
#define FD_WORKER_H

#include "stream.h"

/* Starts the stream's thread. The caller holds the scheduler's lock. Returns FD_OK or
 * FD_ERROR_SYSTEM. */
fd_status fd_worker_start(fd_stream *stream);
/* Executes the stream's work in the calling thread until `sequence` is done. A call from inside a
 * task of the same stream returns immediately, because the outer call executes the remaining work.
 * The caller holds the lock. */
void fd_worker_help(fd_stream *stream, uint64_t sequence);
/* Returns 1 while this thread executes a task. */
int32_t fd_worker_is_inside_task(void);

#endif
