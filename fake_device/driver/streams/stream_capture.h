/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A capturing stream records its work instead of running it. Called by the code that enqueues,
 * waits and allocates. Must not depend on the later use of the recorded work (graph.c).
 */
#ifndef FD_STREAM_CAPTURE_H
#define FD_STREAM_CAPTURE_H

#include "stream.h"

/* Protected by the scheduler's lock while a stream captures into it. */
struct fd_capture {
    fd_stream *stream; /* owns a reference during the capture, NULL afterwards */
    fd_stream *keeper; /* the graph's own stream; owns memory allocated in the capture */
    struct fd_task_queue recorded;
};

/* Returns FD_ERROR_CAPTURING if `stream` is already capturing. The caller holds a reference to
 * `stream`. */
fd_status fd_capture_start(struct fd_capture *capture, fd_stream *stream);
/* Ends the capture. Returns true if the capture was in progress. */
bool fd_capture_stop(struct fd_capture *capture);
/* Records `work` and, on success, takes ownership of it. Only tasks can be recorded. The caller
 * holds the scheduler's lock. */
fd_status fd_capture_record(fd_stream *stream, struct fd_work *work);
/* Returns FD_ERROR_CAPTURING if the stream is capturing, because recorded work never completes. */
fd_status fd_capture_refuse_wait(fd_stream *stream);

#endif
