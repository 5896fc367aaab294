/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A milestone (a mark) is one point in one queue: a version of an event, or the end of a queue that
 * a copy waits for. Each record of an event creates a new mark, so a new version does not affect
 * waits for an old version.
 */
#ifndef FD_MILESTONE_H
#define FD_MILESTONE_H

#include "fakedev.h"

#include <stdatomic.h>
#include <stdbool.h>

struct fd_milestone {
    _Atomic uint32_t references;
    fd_stream *stream; /* the stream of the mark; owns a reference */
    int32_t device;
    bool timing; /* FD_EVENT_TIMING was set when the event was created */
    /* under the scheduler's lock */
    bool reached;
    fd_status status;  /* FD_OK, or the reason why the work before the mark was dropped */
    uint64_t sequence; /* number of the mark's task on the stream */
    uint64_t time_ns;
    fd_stream *held; /* streams that wait for this mark */
    /* Owns a reference to the event's next version. Set only by fault
     * event.wait_takes_latest_version. */
    struct fd_milestone *successor;
};

/* Takes a separate reference to the stream. Returns NULL if memory is exhausted. */
struct fd_milestone *fd_milestone_create(fd_stream *stream);
struct fd_milestone *fd_milestone_share(struct fd_milestone *mark);
/* Accepts NULL. Must not be called with the scheduler's lock held. */
void fd_milestone_release(struct fd_milestone *mark);

#endif
