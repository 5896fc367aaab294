/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring of the newest 4096 records under one mutex. This mutex is the innermost lock of the
 * driver. Each fork takes the mutex first, so that no child inherits a locked mutex.
 */
#include "trace.h"

#include "error.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    uint64_t written; /* for the lifetime of the process */
    uint64_t cleared; /* value of `written` at the last clear */
    struct fd_trace_record ring[FD_TRACE_CAPACITY];
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

static void append(struct fd_trace_record record)
{
    record.thread = (uint32_t)gettid();
    lock_trace();
    record.sequence = trace.written + 1;
    trace.ring[trace.written++ % FD_TRACE_CAPACITY] = record;
    unlock_trace();
}

fd_status fd_trace_call(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                        fd_status status)
{
    const uint64_t now = fd_trace_now();
    append((struct fd_trace_record){.begin_ns = now,
                                    .end_ns = now,
                                    .what = what,
                                    .stream = stream,
                                    .bytes = bytes,
                                    .status = status,
                                    .device = device});
    return status;
}

void fd_trace_span(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                   fd_status status, uint64_t begin_ns, uint64_t end_ns)
{
    append((struct fd_trace_record){.begin_ns = begin_ns,
                                    .end_ns = end_ns,
                                    .what = what,
                                    .stream = stream,
                                    .bytes = bytes,
                                    .status = status,
                                    .device = device,
                                    .executed = 1});
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
