/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A milestone (a mark) is one point of one queue: a version of an event, or the end of a queue that
 * a copy waits for. Each record makes a new one, so who waits for an old version never sees the
 * new.
 */
#ifndef FD_MILESTONE_H
#define FD_MILESTONE_H

#include "fakedev.h"

#include <stdatomic.h>
#include <stdbool.h>

struct fd_milestone {
    _Atomic uint32_t references;
    fd_stream *stream; /* a reference: where the mark stands */
    int32_t device;
    bool timing; /* as the event was created */
    /* under the scheduler's lock */
    bool reached;
    fd_status status;  /* FD_OK, or why the mark was never reached */
    uint64_t sequence; /* of its task on the stream */
    uint64_t time_ns;
    fd_stream *held; /* streams that wait here */
    /* A reference to the event's next version, only with event.wait_takes_latest_version. */
    struct fd_milestone *successor;
};

/* Takes its own reference of the stream. NULL when memory is exhausted. */
struct fd_milestone *fd_milestone_create(fd_stream *stream);
struct fd_milestone *fd_milestone_share(struct fd_milestone *mark);
/* NULL is accepted. Never with the scheduler's lock held. */
void fd_milestone_release(struct fd_milestone *mark);

#endif
