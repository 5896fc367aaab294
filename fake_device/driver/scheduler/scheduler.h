/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides what may run. One lock for all queues of the process: every change (enqueued, finished,
 * gate opened, mark reached) is followed to its end before the lock is given back, so who becomes
 * ready together is seen together and priority decides, not the operating system's wake-up order.
 * Called by streams, events, gates and workers. It must not know what tasks do.
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
/* Follows all changes to their end, hands out slots, unlocks, discards what is finished. */
void fd_scheduler_unlock(void);
/* The same without giving the lock back; for who is about to wait on a condition. */
void fd_scheduler_settle(void);
/* Waits on one of the stream's two conditions; the caller loops. */
void fd_scheduler_wait(pthread_cond_t *condition);

/* The functions below need the lock. */

/* Takes `work` over. */
void fd_scheduler_append(fd_stream *stream, struct fd_work *work);
/* The granted item of the stream, which is RUNNING from then on. */
struct fd_work *fd_scheduler_begin(fd_stream *stream);
/* Its compute slot is free again. */
void fd_scheduler_give_slot_back(fd_stream *stream, const struct fd_work *work);
/* It is done; `work` is taken over. */
void fd_scheduler_end(fd_stream *stream, struct fd_work *work);
void fd_scheduler_open(fd_gate *gate);
/* Reaches a mark, now. */
void fd_scheduler_reach(struct fd_milestone *mark, fd_status status);
/* Drops what has not begun, host callbacks excepted. */
void fd_scheduler_drop(fd_stream *stream, fd_status reason);

#endif
