/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stream that captures keeps its work instead of running it. Called by who enqueues, waits and allocates; must not
 * know what becomes of the work (graph.c).
 */
#ifndef FD_STREAM_CAPTURE_H
#define FD_STREAM_CAPTURE_H

#include "stream.h"

/* Under the scheduler's lock while a stream captures into it. */
struct fd_capture {
    fd_stream *stream; /* a reference while it captures, then NULL */
    fd_stream *keeper; /* owns what is allocated meanwhile; the graph's */
    struct fd_task_queue recorded;
};

/* FD_ERROR_CAPTURING if the stream captures already. The caller has a reference to it. */
fd_status fd_capture_start(struct fd_capture *capture, fd_stream *stream);
/* The stream is an ordinary one again; whether it was not. */
bool fd_capture_stop(struct fd_capture *capture);
/* Takes `work` over, unless it fails: only tasks can be captured. Needs the scheduler's lock. */
fd_status fd_capture_record(fd_stream *stream, struct fd_work *work);
/* FD_ERROR_CAPTURING if the stream captures: nothing in it will ever be done. */
fd_status fd_capture_refuse_wait(fd_stream *stream);

#endif
