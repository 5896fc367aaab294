/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State changes of streams under one lock. Three lists hold what a change still requires: streams
 * to examine again, streams that are ready for a slot, and finished items to discard after the lock
 * is released. No function here calls code outside the driver, and none recurses, however long a
 * chain of waits is.
 */
#include "scheduler.h"

#include "counters.h"
#include "fakedev_faults.h"
#include "settings.h"
#include "trace.h"

#include <limits.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fd_stream *unsettled;
static fd_stream *ready[FD_MAX_DEVICES]; /* in order of arrival */
static int32_t slots_in_use[FD_MAX_DEVICES];
static struct fd_task_queue finished;

static void look_again(fd_stream *stream)
{
    if (stream->unsettled)
        return;
    stream->unsettled = true;
    stream->next_unsettled = unsettled;
    unsettled = stream;
}

/* A list of held streams is in order of arrival: the stream that waits longest continues first. */
static void hold(fd_stream **list, fd_stream *stream)
{
    fd_stream **const held_in = list;
    while (*list)
        list = &(*list)->next_held;
    *list = stream;
    stream->next_held = NULL;
    stream->held_in = held_in;
    stream->state = FD_STREAM_HELD;
}

static void let_go(fd_stream **list)
{
    fd_stream *reversed = NULL;
    /* The list of streams to examine is last in, first out. Reverse this list to keep the order
     * of arrival. */
    for (fd_stream *stream = *list, *next; stream; stream = next) {
        next = stream->next_held;
        stream->next_held = reversed;
        reversed = stream;
    }
    for (fd_stream *stream = reversed; stream; stream = stream->next_held) {
        stream->state = FD_STREAM_IDLE;
        look_again(stream);
    }
    *list = NULL;
}

static void take_out_held(const fd_stream *stream)
{
    fd_stream **list = stream->held_in;
    while (*list != stream)
        list = &(*list)->next_held;
    *list = stream->next_held;
}

static void queue_for_slot(fd_stream *stream)
{
    fd_stream **list = &ready[stream->device];
    while (*list)
        list = &(*list)->next_ready;
    *list = stream;
    stream->next_ready = NULL;
    stream->state = FD_STREAM_READY;
}

static void take_out_ready(const fd_stream *stream)
{
    fd_stream **list = &ready[stream->device];
    while (*list != stream)
        list = &(*list)->next_ready;
    *list = stream->next_ready;
}

static void grant(fd_stream *stream)
{
    stream->state = FD_STREAM_GRANTED;
    stream->granted_ns = fd_trace_now();
    pthread_cond_broadcast(fd_settings()->eager_streams ? &stream->progress : &stream->wake);
}

static bool needs_slot(const struct fd_work *work)
{
    return work->kind == FD_WORK_RUN;
}

static void note_progress(fd_stream *stream)
{
    const struct fd_work *first = stream->queue.first;
    const uint64_t done = first ? first->sequence - 1
                                : atomic_load_explicit(&stream->submitted, memory_order_relaxed);
    atomic_store_explicit(&stream->completed, done, memory_order_release);
    pthread_cond_broadcast(&stream->progress);
}

/* Update the counter first: a thread that sees the new progress must also see the new counter. */
static void finish(struct fd_work *work)
{
    fd_count(&fd_live.tasks_completed);
    fd_task_queue_push(&finished, work);
}

/* ---- may the first item run? ----------------------------------------------------------------- */

static bool pass_run(fd_stream *stream, struct fd_work *work)
{
    (void)work;
    queue_for_slot(stream);
    return false;
}

static bool pass_callback(fd_stream *stream, struct fd_work *work)
{
    (void)work;
    grant(stream);
    return false;
}

static bool pass_gate(fd_stream *stream, struct fd_work *work)
{
    if (!work->gate->open)
        hold(&work->gate->held, stream);
    return work->gate->open;
}

static bool pass_wait(fd_stream *stream, struct fd_work *work)
{
    struct fd_milestone *mark = work->mark;
    while (mark->successor)
        mark = mark->successor;
    if (!mark->reached)
        hold(&mark->held, stream);
    else if (mark->status != FD_OK)
        fd_async_error_put(&stream->error, mark->status, work->sequence, work->name, stream->id,
                           "the event it waited for will not come");
    return mark->reached;
}

static bool pass_record(fd_stream *stream, struct fd_work *work)
{
    /* With variant late_completion, the worker must also process records of events, to delay
     * them. */
    if (fd_settings()->late_completion) {
        grant(stream);
        return false;
    }
    fd_scheduler_reach(work->mark, FD_OK);
    return true;
}

static bool (*const pass[])(fd_stream *stream, struct fd_work *work) = {
    [FD_WORK_RUN] = pass_run,   [FD_WORK_CALLBACK] = pass_callback, [FD_WORK_GATE] = pass_gate,
    [FD_WORK_WAIT] = pass_wait, [FD_WORK_RECORD] = pass_record,
};

static void advance(fd_stream *stream)
{
    while (stream->state == FD_STREAM_IDLE && stream->queue.first) {
        struct fd_work *work = stream->queue.first;
        if (!pass[work->kind](stream, work))
            return;
        fd_task_queue_pop(&stream->queue);
        finish(work);
        note_progress(stream);
    }
    if (stream->state == FD_STREAM_IDLE && stream->abandoned)
        pthread_cond_broadcast(&stream->wake);
}

/* ---- slots ----------------------------------------------------------------------------------- */

static bool is_more_urgent(const fd_stream *one, const fd_stream *other)
{
    return fd_fault("stream.priority_inverted") ? one->priority > other->priority
                                                : one->priority < other->priority;
}

static void hand_out_slots(int32_t device)
{
    const int32_t slots = fd_settings()->eager_streams ? INT32_MAX : FD_COMPUTE_SLOTS;
    while (ready[device] && slots_in_use[device] < slots) {
        fd_stream *best = ready[device];
        for (fd_stream *other = best->next_ready; other; other = other->next_ready)
            if (is_more_urgent(other, best))
                best = other;
        take_out_ready(best);
        slots_in_use[device]++;
        grant(best);
    }
}

void fd_scheduler_settle(void)
{
    while (unsettled) {
        fd_stream *stream = unsettled;
        unsettled = stream->next_unsettled;
        stream->unsettled = false;
        advance(stream);
    }
    for (int32_t device = 0; device < FD_MAX_DEVICES; device++)
        hand_out_slots(device);
}

/* ---- the lock -------------------------------------------------------------------------------- */

void fd_scheduler_lock(void)
{
    pthread_mutex_lock(&lock);
}

void fd_scheduler_unlock(void)
{
    fd_scheduler_settle();
    struct fd_task_queue mine = finished;
    finished = (struct fd_task_queue){NULL, NULL};
    pthread_mutex_unlock(&lock);
    for (struct fd_work *work; (work = fd_task_queue_pop(&mine));)
        fd_work_discard(work);
}

void fd_scheduler_wait(pthread_cond_t *condition)
{
    fd_scheduler_settle();
    pthread_cond_wait(condition, &lock);
}

/* ---- changes --------------------------------------------------------------------------------- */

void fd_scheduler_append(fd_stream *stream, struct fd_work *work)
{
    fd_handle_share(&stream->handle);
    work->stream = stream;
    work->sequence = atomic_fetch_add_explicit(&stream->submitted, 1, memory_order_release) + 1;
    if (work->kind == FD_WORK_RECORD)
        work->mark->sequence = work->sequence;
    fd_task_queue_push(&stream->queue, work);
    fd_count(&fd_live.tasks_enqueued);
    look_again(stream);
}

struct fd_work *fd_scheduler_begin(fd_stream *stream)
{
    stream->state = FD_STREAM_RUNNING;
    stream->runner = pthread_self();
    return fd_task_queue_pop(&stream->queue);
}

void fd_scheduler_give_slot_back(fd_stream *stream, const struct fd_work *work)
{
    if (needs_slot(work))
        slots_in_use[stream->device]--;
}

void fd_scheduler_end(fd_stream *stream, struct fd_work *work)
{
    if (work->kind == FD_WORK_RECORD)
        fd_scheduler_reach(work->mark, FD_OK);
    stream->state = FD_STREAM_IDLE;
    finish(work);
    note_progress(stream);
    look_again(stream);
}

void fd_scheduler_open(fd_gate *gate)
{
    gate->open = true;
    let_go(&gate->held);
}

void fd_scheduler_reach(struct fd_milestone *mark, fd_status status)
{
    mark->reached = true;
    mark->status = status;
    mark->time_ns = fd_trace_now();
    pthread_cond_broadcast(&mark->stream->progress);
    let_go(&mark->held);
}

/* Removes the stream from every list in which its first item waits. */
static void step_back(fd_stream *stream)
{
    const struct fd_work *first = stream->queue.first;
    if (stream->state == FD_STREAM_HELD)
        take_out_held(stream);
    if (stream->state == FD_STREAM_READY)
        take_out_ready(stream);
    if (stream->state == FD_STREAM_GRANTED)
        fd_scheduler_give_slot_back(stream, first);
    if (stream->state != FD_STREAM_RUNNING)
        stream->state = FD_STREAM_IDLE;
}

void fd_scheduler_drop(fd_stream *stream, fd_status reason)
{
    struct fd_task_queue dropped = {NULL, NULL};
    step_back(stream);
    if (fd_task_queue_drop(&stream->queue, &dropped))
        fd_async_error_put(&stream->error, reason, dropped.first->sequence, dropped.first->name,
                           stream->id, "dropped");
    for (struct fd_work *work; (work = fd_task_queue_pop(&dropped));) {
        if (work->kind == FD_WORK_RECORD)
            fd_scheduler_reach(work->mark, reason);
        finish(work);
    }
    if (stream->state != FD_STREAM_RUNNING)
        note_progress(stream);
    look_again(stream);
}
