/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Work items and their list. Called by the scheduler and by the code that enqueues work. Must not
 * depend on the rules for when an item may run.
 */
#include "task_queue.h"

#include "handle.h"
#include "milestone.h"

#include <stdlib.h>
#include <string.h>

struct fd_work *fd_work_create(enum fd_work_kind kind, const char *name, const void *arguments,
                               size_t size)
{
    const size_t total = (sizeof(struct fd_work) + size + 15u) & ~(size_t)15u;
    struct fd_work *work = aligned_alloc(16, total);
    if (!work)
        return NULL;
    memset(work, 0, sizeof *work);
    work->kind = kind;
    work->name = name;
    if (kind == FD_WORK_RUN)
        work->launch = fd_trace_begin_launch();
    if (size)
        memcpy(work->arguments, arguments, size);
    return work;
}

void fd_work_discard(struct fd_work *work)
{
    if (work->discard)
        work->discard(work->arguments);
    if (work->kind == FD_WORK_GATE)
        fd_handle_release((struct fd_handle *)work->gate);
    if (work->kind == FD_WORK_WAIT || work->kind == FD_WORK_RECORD)
        fd_milestone_release(work->mark);
    fd_handle_release((struct fd_handle *)work->stream);
    free(work);
}

void fd_task_queue_push(struct fd_task_queue *queue, struct fd_work *work)
{
    work->next = NULL;
    if (queue->last)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
}

struct fd_work *fd_task_queue_pop(struct fd_task_queue *queue)
{
    struct fd_work *work = queue->first;
    if (!work)
        return NULL;
    queue->first = work->next;
    if (!queue->first)
        queue->last = NULL;
    work->next = NULL;
    return work;
}

bool fd_task_queue_drop(struct fd_task_queue *queue, struct fd_task_queue *dropped)
{
    struct fd_task_queue kept = {NULL, NULL};
    bool any = false;
    for (struct fd_work *work; (work = fd_task_queue_pop(queue));) {
        const bool keep = work->kind == FD_WORK_CALLBACK;
        fd_task_queue_push(keep ? &kept : dropped, work);
        any = any || !keep;
    }
    *queue = kept;
    return any;
}

fd_status fd_work_nothing(void *arguments)
{
    (void)arguments;
    return FD_OK;
}
