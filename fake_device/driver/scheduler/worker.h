/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Workers execute tasks: one thread per stream, started at its first task; with eager streams the
 * caller. Called by streams only.
 */
#ifndef FD_WORKER_H
#define FD_WORKER_H

#include "stream.h"

/* Starts the stream's thread. Needs the scheduler's lock. FD_OK or FD_ERROR_SYSTEM. */
fd_status fd_worker_start(fd_stream *stream);
/* Executes the stream's work in the calling thread until `sequence` is done. Called from inside a
 * task of the same stream it returns at once: the outer call goes on with it. Needs the lock. */
void fd_worker_help(fd_stream *stream, uint64_t sequence);
/* 1 while this thread executes a task. */
int32_t fd_worker_is_inside_task(void);

#endif
