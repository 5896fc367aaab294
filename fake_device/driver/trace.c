/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring of the newest 4096 records under one mutex. This mutex is the innermost lock of the
 * driver. Each fork takes the mutex first, so that no child inherits a locked mutex. A profiler
 * listens under the same mutex. Without a listener, a launch costs one read of a flag.
 */
#include "trace.h"

#include "error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    uint64_t written; /* for the lifetime of the process */
    uint64_t cleared; /* value of `written` at the last clear */
    struct fd_trace_record ring[FD_TRACE_CAPACITY];
    void (*listener)(const struct fd_trace_record *record);
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool is_heard;
static _Atomic uint64_t launches;
static _Thread_local uint64_t correlation;
static _Thread_local struct fd_trace_launch newest_launch;

static void lock_trace(void)
{
    (void)pthread_mutex_lock(&trace.lock);
}

static void unlock_trace(void)
{
    (void)pthread_mutex_unlock(&trace.lock);
}

__attribute__((constructor)) static void keep_lock_sane_across_fork(void)
{
    (void)pthread_atfork(lock_trace, unlock_trace, unlock_trace);
}

uint64_t fd_trace_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void append(struct fd_trace_record record, struct fd_trace_launch launch)
{
    record.thread = (uint32_t)gettid();
    record.launch = launch.number;
    record.launched_ns = launch.time_ns;
    record.correlation = launch.correlation;
    lock_trace();
    record.sequence = trace.written + 1;
    trace.ring[trace.written++ % FD_TRACE_CAPACITY] = record;
    if (trace.listener)
        trace.listener(&record);
    unlock_trace();
}

struct fd_trace_launch fd_trace_begin_launch(void)
{
    if (!atomic_load_explicit(&is_heard, memory_order_relaxed))
        return (struct fd_trace_launch){0};
    newest_launch = (struct fd_trace_launch){
        .number = atomic_fetch_add_explicit(&launches, 1, memory_order_relaxed) + 1,
        .time_ns = fd_trace_now(),
        .correlation = correlation};
    return newest_launch;
}

uint64_t fd_trace_correlate(uint64_t number)
{
    const uint64_t before = correlation;
    correlation = number;
    return before;
}

void fd_trace_listen(void (*listener)(const struct fd_trace_record *record))
{
    lock_trace();
    trace.listener = listener;
    atomic_store_explicit(&is_heard, listener != NULL, memory_order_relaxed);
    unlock_trace();
}

fd_status fd_trace_call(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                        fd_status status)
{
    const uint64_t now = fd_trace_now();
    const struct fd_trace_launch launch = newest_launch;
    newest_launch = (struct fd_trace_launch){0};
    append((struct fd_trace_record){.begin_ns = now,
                                    .end_ns = now,
                                    .what = what,
                                    .stream = stream,
                                    .bytes = bytes,
                                    .status = status,
                                    .device = device},
           launch);
    return status;
}

void fd_trace_span(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                   fd_status status, uint64_t begin_ns, uint64_t end_ns,
                   struct fd_trace_launch launch)
{
    append((struct fd_trace_record){.begin_ns = begin_ns,
                                    .end_ns = end_ns,
                                    .what = what,
                                    .stream = stream,
                                    .bytes = bytes,
                                    .status = status,
                                    .device = device,
                                    .executed = 1},
           launch);
}

fd_status fd_trace_read(struct fd_trace_record *records, size_t capacity, size_t *count,
                        uint64_t *lost)
{
    if (!count || (!records && capacity > 0))
        return fd_fail(FD_ERROR_INVALID_VALUE, "fd_trace_read needs room for records and a count");
    lock_trace();
    const uint64_t since_clear = trace.written - trace.cleared;
    const uint64_t kept = since_clear < FD_TRACE_CAPACITY ? since_clear : FD_TRACE_CAPACITY;
    const uint64_t wanted = kept < capacity ? kept : capacity;
    for (uint64_t i = 0; i < wanted; i++)
        records[i] = trace.ring[(trace.written - wanted + i) % FD_TRACE_CAPACITY];
    if (lost)
        *lost = since_clear - kept;
    unlock_trace();
    *count = (size_t)wanted;
    return FD_OK;
}

void fd_trace_clear(void)
{
    lock_trace();
    trace.cleared = trace.written;
    unlock_trace();
}
