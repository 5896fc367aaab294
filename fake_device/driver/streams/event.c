/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events. Each record creates a new mark, and the event refers to the newest one. A waiter refers
 * to the mark itself, so a later record or the destruction of the event does not affect the waiter.
 */
#include "counters.h"
#include "device.h"
#include "error.h"
#include "fakedev_faults.h"
#include "scheduler.h"
#include "trace.h"
#include "worker.h"

#include <stdlib.h>

struct fd_event {
    struct fd_handle handle;
    uint32_t flags;
    /* protected by the scheduler's lock */
    int32_t device; /* -1 before the first record */
    /* owns a reference to the newest version; NULL before the first record */
    struct fd_milestone *mark;
};

/* ---- life cycle ------------------------------------------------------------------------------ */

static void finish_event(struct fd_handle *handle)
{
    fd_event *event = (fd_event *)handle;
    fd_milestone_release(event->mark);
    free(event);
}

static fd_status create(uint32_t flags, fd_event **event)
{
    if (!event || (flags & ~FD_EVENT_TIMING))
        return fd_fail(FD_ERROR_INVALID_VALUE, "event is NULL or has unknown flags 0x%x", flags);
    const fd_status status = fd_driver_start();
    if (status != FD_OK)
        return status;
    fd_event *made = calloc(1, sizeof *made);
    if (!made)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for an event");
    made->flags = flags;
    made->device = -1;
    fd_handle_publish(&made->handle, FD_HANDLE_EVENT, finish_event);
    fd_count(&fd_live.events_created);
    *event = made;
    return FD_OK;
}

fd_status fd_event_create(uint32_t flags, fd_event **event)
{
    return fd_trace_call("fd_event_create", -1, -1, 0, create(flags, event));
}

static void release_waiters(fd_event *event)
{
    fd_scheduler_lock();
    if (event->mark && !event->mark->reached)
        fd_scheduler_reach(event->mark, FD_OK);
    fd_scheduler_unlock();
}

static fd_status destroy(fd_event *event)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (fd_fault("event.leaked"))
        return FD_OK;
    if (!fd_handle_withdraw(event, FD_HANDLE_EVENT))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live event", (void *)event);
    if (fd_fault("event.destroy_releases_waiters"))
        release_waiters(event);
    fd_count(&fd_live.events_destroyed);
    fd_handle_release(&event->handle);
    return FD_OK;
}

fd_status fd_event_destroy(fd_event *event)
{
    if (!event)
        return FD_OK;
    return fd_trace_call("fd_event_destroy", fd_event_device(event), -1, 0, destroy(event));
}

static fd_status acquire(fd_event *event)
{
    const fd_status forked = fd_driver_check_fork();
    if (forked != FD_OK)
        return forked;
    if (!fd_handle_acquire(event, FD_HANDLE_EVENT))
        return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not a live event", (void *)event);
    return FD_OK;
}

/* Takes a reference to the newest version of a live event. Gives NULL and FD_OK if none was
 * recorded. */
static fd_status newest(fd_event *event, struct fd_milestone **mark)
{
    const fd_status status = acquire(event);
    if (status != FD_OK)
        return status;
    fd_scheduler_lock();
    *mark = event->mark ? fd_milestone_share(event->mark) : NULL;
    fd_scheduler_unlock();
    fd_handle_release(&event->handle);
    return FD_OK;
}

int32_t fd_event_device(const fd_event *event)
{
    fd_event *live = (fd_event *)(uintptr_t)event;
    if (fd_forked_after_start() || !fd_handle_acquire(live, FD_HANDLE_EVENT))
        return -1;
    fd_scheduler_lock();
    const int32_t device = live->mark ? live->device : -1;
    fd_scheduler_unlock();
    fd_handle_release(&live->handle);
    return device;
}

/* ---- record ---------------------------------------------------------------------------------- */

static fd_status stand_in_queue(fd_stream *stream, struct fd_milestone *mark)
{
    if (fd_fault("event.is_a_time_stamp")) {
        fd_scheduler_lock();
        fd_scheduler_reach(mark, FD_OK);
        fd_scheduler_unlock();
        return FD_OK;
    }
    struct fd_work *work = fd_work_create(FD_WORK_RECORD, "event record", NULL, 0);
    if (work)
        work->mark = fd_milestone_share(mark);
    return fd_stream_enqueue(stream, work, NULL);
}

/* Binds the event to the device of its first record. If two threads record at the same time, one of
 * the two records is the first. */
static fd_status claim(fd_event *event, int32_t device, int32_t *before)
{
    fd_scheduler_lock();
    *before = event->device;
    if (event->device < 0)
        event->device = device;
    const int32_t owner = event->device;
    fd_scheduler_unlock();
    if (owner != device)
        return fd_fail(FD_ERROR_INVALID_VALUE,
                       "the event belongs to device %d, the stream to device %d", owner, device);
    return FD_OK;
}

static void adopt(fd_event *event, struct fd_milestone *mark, fd_status status,
                  int32_t device_before)
{
    fd_scheduler_lock();
    struct fd_milestone *old = mark;
    if (status == FD_OK) {
        old = event->mark;
        event->mark = mark;
        if (old && fd_fault("event.wait_takes_latest_version"))
            old->successor = fd_milestone_share(mark);
    } else if (!event->mark) {
        event->device = device_before;
    }
    fd_scheduler_unlock();
    fd_milestone_release(old);
}

static fd_status record_live(fd_event *event, fd_stream *stream)
{
    int32_t before;
    fd_status status = claim(event, stream->device, &before);
    if (status != FD_OK || (before >= 0 && fd_fault("event.rerecord_ignored")))
        return status;
    struct fd_milestone *mark = fd_milestone_create(stream);
    if (mark)
        mark->timing = event->flags & FD_EVENT_TIMING;
    status = mark ? stand_in_queue(stream, mark)
                  : fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory for an event's version");
    adopt(event, mark, status, before);
    if (status == FD_OK && fd_fault("event.record_switches_device"))
        status = fd_device_set(stream->device);
    return status;
}

static fd_status record(fd_event *event, fd_stream *stream)
{
    fd_status status = acquire(event);
    if (status != FD_OK)
        return status;
    status = fd_stream_open(stream);
    if (status == FD_OK) {
        status = record_live(event, stream);
        fd_stream_release(stream);
    }
    fd_handle_release(&event->handle);
    return status;
}

fd_status fd_event_record(fd_event *event, fd_stream *stream)
{
    return fd_trace_call("fd_event_record", fd_stream_device(stream), fd_stream_id(stream), 0,
                         record(event, stream));
}

/* ---- wait ------------------------------------------------------------------------------------ */

static fd_status hold_stream(fd_stream *stream, struct fd_milestone *mark)
{
    if (fd_fault("event.wait_ignored"))
        return FD_OK;
    if (mark->device != stream->device && fd_fault("event.wait_across_devices_ignored"))
        return FD_OK;
    struct fd_work *work = fd_work_create(FD_WORK_WAIT, "event wait", NULL, 0);
    if (work)
        work->mark = fd_milestone_share(mark);
    return fd_stream_enqueue(stream, work, NULL);
}

static fd_status wait_event(fd_stream *stream, fd_event *event)
{
    struct fd_milestone *mark = NULL;
    fd_status status = newest(event, &mark);
    if (status != FD_OK)
        return status;
    status = fd_stream_open(stream);
    if (status == FD_OK) {
        status = mark ? hold_stream(stream, mark) : FD_OK;
        fd_stream_release(stream);
    }
    fd_milestone_release(mark);
    return status;
}

fd_status fd_stream_wait_event(fd_stream *stream, fd_event *event)
{
    return fd_trace_call("fd_stream_wait_event", fd_stream_device(stream), fd_stream_id(stream), 0,
                         wait_event(stream, event));
}

struct reading {
    bool reached;
    fd_status status;
    uint64_t sequence, time_ns;
};

static struct reading read_mark(const struct fd_milestone *mark)
{
    fd_scheduler_lock();
    const struct reading reading = {mark->reached, mark->status, mark->sequence, mark->time_ns};
    fd_scheduler_unlock();
    return reading;
}

static fd_status wait_mark(struct fd_milestone *mark)
{
    if (!read_mark(mark).reached && fd_worker_is_inside_task())
        return fd_fail(FD_ERROR_INVALID_VALUE, "a task must not wait for an event");
    fd_scheduler_lock();
    while (!mark->reached)
        fd_scheduler_wait(&mark->stream->progress);
    fd_scheduler_unlock();
    return FD_OK;
}

static fd_status never_came(const struct reading *reading)
{
    return fd_fail(reading->status, "the work before the event was dropped");
}

static fd_status query_mark(struct fd_milestone *mark)
{
    const fd_status status = fd_device_check(mark->device);
    if (status != FD_OK)
        return status;
    if (fd_fault("event.query_blocks"))
        (void)wait_mark(mark);
    const struct reading reading = read_mark(mark);
    if (!reading.reached)
        return FD_ERROR_NOT_READY;
    return reading.status == FD_OK ? FD_OK : never_came(&reading);
}

static fd_status query(fd_event *event)
{
    struct fd_milestone *mark = NULL;
    fd_status status = newest(event, &mark);
    if (status == FD_OK && mark)
        status = query_mark(mark);
    fd_milestone_release(mark);
    return status;
}

fd_status fd_event_query(fd_event *event)
{
    return fd_trace_call("fd_event_query", fd_event_device(event), -1, 0, query(event));
}

static fd_status synchronize_mark(struct fd_milestone *mark)
{
    fd_status status = fd_device_check(mark->device);
    if (status != FD_OK || fd_fault("event.synchronize_returns_early"))
        return status;
    status = wait_mark(mark);
    if (status != FD_OK)
        return status;
    const struct reading reading = read_mark(mark);
    /* An event reports only errors of work that the stream executed before the event. */
    status = fd_stream_take_error(mark->stream, reading.sequence);
    if (status == FD_OK && reading.status != FD_OK)
        return never_came(&reading);
    return status;
}

static fd_status synchronize(fd_event *event)
{
    struct fd_milestone *mark = NULL;
    fd_status status = newest(event, &mark);
    if (status == FD_OK && mark)
        status = synchronize_mark(mark);
    fd_milestone_release(mark);
    return status;
}

fd_status fd_event_synchronize(fd_event *event)
{
    fd_count(&fd_live.synchronizations);
    return fd_trace_call("fd_event_synchronize", fd_event_device(event), -1, 0, synchronize(event));
}

/* ---- elapsed time ---------------------------------------------------------------------------- */

static fd_status time_of(fd_event *event, uint64_t *time_ns)
{
    struct fd_milestone *mark = NULL;
    fd_status status = newest(event, &mark);
    if (status != FD_OK)
        return status;
    if (!mark || !mark->timing)
        status =
            fd_fail(FD_ERROR_INVALID_VALUE, "%s",
                    mark ? "the event was made without timing" : "the event was never recorded");
    else
        status = query_mark(mark);
    if (status == FD_OK)
        *time_ns = read_mark(mark).time_ns;
    fd_milestone_release(mark);
    return status;
}

static double difference(uint64_t start_ns, uint64_t end_ns)
{
    if (fd_variant_is_on("coarse_clock"))
        end_ns = start_ns + (end_ns - start_ns) / 1000000 * 1000000;
    const double sign = fd_fault("event.elapsed_negative") ? -1.0 : 1.0;
    const double unit = fd_fault("event.elapsed_in_seconds") ? 1e9 : 1e6;
    return sign * (double)(int64_t)(end_ns - start_ns) / unit;
}

static fd_status elapsed(fd_event *start, fd_event *end, double *milliseconds)
{
    uint64_t start_ns, end_ns;
    if (!milliseconds)
        return fd_fail(FD_ERROR_INVALID_VALUE, "milliseconds is NULL");
    fd_status status = time_of(start, &start_ns);
    if (status == FD_OK)
        status = time_of(end, &end_ns);
    if (status == FD_OK)
        *milliseconds = difference(start_ns, end_ns);
    return status;
}

fd_status fd_event_elapsed(fd_event *start, fd_event *end, double *milliseconds)
{
    return fd_trace_call("fd_event_elapsed", fd_event_device(start), -1, 0,
                         elapsed(start, end, milliseconds));
}
