/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Executes tasks. The threads are detached, block all signals, and need no teardown, so the process
 * may end at any moment. Must not depend on the reasons why a task may run: the scheduler decides
 * that.
 */
#include "worker.h"

#include "error.h"
#include "scheduler.h"
#include "settings.h"
#include "trace.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define LATE_NANOSECONDS 20000

static _Thread_local int32_t depth;

int32_t fd_worker_is_inside_task(void)
{
    return depth > 0;
}

static fd_status run_task(struct fd_work *work)
{
    return work->task(work->arguments);
}

static fd_status run_callback(struct fd_work *work)
{
    void *data;
    memcpy(&data, work->arguments, sizeof data);
    work->callback(data);
    return FD_OK;
}

static fd_status run_nothing(struct fd_work *work)
{
    (void)work;
    return FD_OK;
}

static fd_status (*const run[])(struct fd_work *work) = {
    [FD_WORK_RUN] = run_task,     [FD_WORK_CALLBACK] = run_callback, [FD_WORK_GATE] = run_nothing,
    [FD_WORK_WAIT] = run_nothing, [FD_WORK_RECORD] = run_nothing,
};

/* Yields for a fixed time, because a single yield may take long on a busy machine. */
static void let_others_go_first(void)
{
    const uint64_t end_ns = fd_trace_now() + LATE_NANOSECONDS;
    do
        sched_yield();
    while (fd_trace_now() < end_ns);
}

/* The caller holds the lock. This function releases the lock while the task runs. The stream must
 * be in state GRANTED. */
static void execute(fd_stream *stream)
{
    struct fd_work *work = fd_scheduler_begin(stream);
    const uint64_t begin_ns = stream->granted_ns;
    fd_scheduler_unlock();

    /* Clear the text: an earlier failure is not the reason for this task's failure. */
    (void)fd_fail(FD_OK, "%s", "");
    depth++;
    const fd_status status = run[work->kind](work);
    depth--;
    fd_trace_span(work->name, stream->device, stream->id, work->bytes, status, begin_ns,
                  fd_trace_now(), work->launch);

    fd_scheduler_lock();
    fd_scheduler_give_slot_back(stream, work);
    if (fd_settings()->late_completion) {
        fd_scheduler_unlock();
        let_others_go_first();
        fd_scheduler_lock();
    }
    if (status != FD_OK)
        fd_async_error_put(&stream->error, status, work->sequence, work->name, stream->id,
                           fd_last_error_text());
    fd_scheduler_end(stream, work);
}

static bool is_over(const fd_stream *stream)
{
    return stream->abandoned && stream->state == FD_STREAM_IDLE && !stream->queue.first;
}

static void *worker_main(void *argument)
{
    fd_stream *stream = argument;
    fd_scheduler_lock();
    while (!is_over(stream)) {
        if (stream->state == FD_STREAM_GRANTED)
            execute(stream);
        else
            fd_scheduler_wait(&stream->wake);
        /* The end of this item may have made the next item ready. */
        fd_scheduler_settle();
    }
    /* A caller that still owns a reference may enqueue more work, which starts a new worker. */
    stream->has_worker = false;
    fd_scheduler_unlock();
    fd_handle_release(&stream->handle);
    return NULL;
}

static int start_thread(fd_stream *stream)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    char name[16];
    int failed = pthread_attr_init(&attributes);
    if (failed)
        return failed;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&thread, &attributes, worker_main, stream);
    if (!failed) {
        snprintf(name, sizeof name, "fakedev-%d.%d", (int)stream->device, (int)stream->id);
        pthread_setname_np(thread, name);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

fd_status fd_worker_start(fd_stream *stream)
{
    fd_handle_share(&stream->handle);
    const int failed = start_thread(stream);
    if (failed) {
        /* The stream lives on, because the caller holds another reference. */
        fd_handle_release(&stream->handle);
        errno = failed;
        return fd_fail_errno("starting the worker of a stream");
    }
    stream->has_worker = true;
    return FD_OK;
}

void fd_worker_help(fd_stream *stream, uint64_t sequence)
{
    /* The tasks run in the calling thread. An error text of a task must not replace the text of
     * this thread's own calls. */
    char text[FD_ERROR_TEXT_SIZE];
    snprintf(text, sizeof text, "%s", fd_last_error_text());

    fd_scheduler_settle();
    /* If a callback enqueues more work on the stream, this loop also executes that work. */
    while (fd_stream_completed(stream) < sequence || stream->state == FD_STREAM_GRANTED) {
        if (stream->state == FD_STREAM_RUNNING && pthread_equal(stream->runner, pthread_self()))
            break;
        if (stream->state == FD_STREAM_GRANTED)
            execute(stream);
        else
            fd_scheduler_wait(&stream->progress);
        fd_scheduler_settle();
    }
    (void)fd_fail(FD_OK, "%s", text);
}
