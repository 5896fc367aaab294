/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which work may run. One lock protects all queues of the process. Every change (work
 * enqueued or finished, gate opened, mark reached) is processed completely before the lock is
 * released. Therefore streams that become ready together compete by priority, and not by the
 * operating system's wake-up order. Called by streams, events, gates and workers. Must not depend
 * on the contents of tasks.
 */
#ifndef FD_SCHEDULER_H
#define FD_SCHEDULER_H

#include "milestone.h"
#include "stream.h"

#define FD_QUEUE_LIMIT (1u << 20)

struct fd_gate {
    struct fd_handle handle;
    /* under the scheduler's lock */
    bool open;
    fd_stream *held;
};

void fd_scheduler_lock(void);
/* Processes pending changes, assigns slots, releases the lock, then discards finished items. */
void fd_scheduler_unlock(void);
/* Like fd_scheduler_unlock, but keeps the lock. For a caller that then waits on a condition. */
void fd_scheduler_settle(void);
/* Waits on a condition of a stream (`wake` or `progress`). May return early, so the caller must
 * loop. */
void fd_scheduler_wait(pthread_cond_t *condition);

/* The caller of the functions below must hold the lock. */

/* Takes ownership of `work`. */
void fd_scheduler_append(fd_stream *stream, struct fd_work *work);
/* Returns the granted item of the stream and sets the stream to RUNNING. */
struct fd_work *fd_scheduler_begin(fd_stream *stream);
/* Releases the compute slot of the item. */
void fd_scheduler_give_slot_back(fd_stream *stream, const struct fd_work *work);
/* Finishes the item and takes ownership of `work`. */
void fd_scheduler_end(fd_stream *stream, struct fd_work *work);
void fd_scheduler_open(fd_gate *gate);
/* Marks `mark` as reached at the current time. */
void fd_scheduler_reach(struct fd_milestone *mark, fd_status status);
/* Drops all items that have not begun, except host callbacks. */
void fd_scheduler_drop(fd_stream *stream, fd_status reason);

#endif
