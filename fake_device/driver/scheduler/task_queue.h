/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Items of a stream's queue, and the queue itself: first in, first out. The scheduler's lock
 * protects the queue, which has no lock of its own.
 */
#ifndef FD_TASK_QUEUE_H
#define FD_TASK_QUEUE_H

#include "fakedev.h"
#include "trace.h"

#include <stdbool.h>

#define FD_TASK_ARGUMENTS_MAX 4096u

struct fd_milestone;

enum fd_work_kind {
    FD_WORK_RUN,      /* takes a compute slot */
    FD_WORK_CALLBACK, /* runs on the worker without a slot, also on a lost device */
    FD_WORK_GATE,     /* holds the stream until the gate is open */
    FD_WORK_WAIT,     /* holds the stream until the mark is reached */
    FD_WORK_RECORD,   /* reaches the mark */
};

struct fd_work {
    struct fd_work *next;
    fd_stream *stream; /* owns a reference, from enqueue to discard */
    uint64_t sequence;
    enum fd_work_kind kind;
    const char *name;
    uint64_t bytes; /* used in the trace */
    struct fd_trace_launch launch;
    union {
        fd_task task;
        void (*callback)(void *data);
        fd_gate *gate;             /* owns a reference */
        struct fd_milestone *mark; /* owns a reference */
    };
    /* Called once, after the task has run or has been dropped. May be NULL. */
    void (*discard)(void *arguments);
    _Alignas(16) unsigned char arguments[];
};

/* Returns NULL if memory is exhausted. */
struct fd_work *fd_work_create(enum fd_work_kind kind, const char *name, const void *arguments,
                               size_t size);
/* Releases the references and frees the item. Must not be called with the scheduler's lock held. */
void fd_work_discard(struct fd_work *work);
/* An empty task. A fault that executes a task too early enqueues this function in place of the
 * task. */
fd_status fd_work_nothing(void *arguments);

struct fd_task_queue {
    struct fd_work *first, *last;
};

void fd_task_queue_push(struct fd_task_queue *queue, struct fd_work *work);
/* Returns NULL if the queue is empty. */
struct fd_work *fd_task_queue_pop(struct fd_task_queue *queue);
/* Moves all items except host callbacks to the end of `dropped`. Returns whether any item was
 * moved. */
bool fd_task_queue_drop(struct fd_task_queue *queue, struct fd_task_queue *dropped);

#endif
