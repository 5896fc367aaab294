/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the trace ring and the counters.
 */
#include "counters.h"
#include "driver_test.h"
#include "trace.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct fd_trace_record records[FD_TRACE_CAPACITY + 10];

TEST(trace_read_gives_newest_oldest_first)
{
    size_t count = 99;
    uint64_t lost = 99;
    ck_assert_int_eq(fd_trace_call("one", 1, 2, 3, FD_ERROR_INDEX), FD_ERROR_INDEX);
    fd_trace_span("two", 0, -1, 8, FD_OK, 100, 200, (struct fd_trace_launch){0});
    (void)fd_trace_call("three", -1, -1, 0, FD_OK);
    ck_assert_ok(fd_trace_read(records, 2, &count, &lost));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(lost, 0);
    ck_assert_str_eq(records[0].what, "two");
    ck_assert_int_eq(records[0].executed, 1);
    ck_assert_uint_eq(records[0].end_ns - records[0].begin_ns, 100);
    ck_assert_str_eq(records[1].what, "three");
    ck_assert_ok(fd_trace_read(records, 10, &count, NULL));
    ck_assert_uint_eq(count, 3);
    ck_assert_uint_eq(records[0].sequence, 1);
    ck_assert_int_eq(records[0].status, FD_ERROR_INDEX);
    ck_assert_int_eq(records[0].device, 1);
    ck_assert_uint_eq(records[0].thread, (uint32_t)gettid());
}

TEST(trace_read_of_overflowed_ring_counts_lost)
{
    size_t count = 0;
    uint64_t lost = 0;
    for (int i = 0; i < FD_TRACE_CAPACITY + 7; i++)
        (void)fd_trace_call("call", 0, 0, (uint64_t)i, FD_OK);
    ck_assert_ok(fd_trace_read(records, FD_TRACE_CAPACITY + 10, &count, &lost));
    ck_assert_uint_eq(count, FD_TRACE_CAPACITY);
    ck_assert_uint_eq(lost, 7);
    ck_assert_uint_eq(records[0].bytes, 7);
    fd_trace_clear();
    ck_assert_ok(fd_trace_read(records, 10, &count, &lost));
    ck_assert_uint_eq(count + lost, 0);
    (void)fd_trace_call("after", 0, 0, 0, FD_OK);
    ck_assert_ok(fd_trace_read(records, 10, &count, &lost));
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(records[0].sequence, FD_TRACE_CAPACITY + 8);
}

static uint64_t heard, last_correlation, last_launch;

static void hear(const struct fd_trace_record *record)
{
    heard++;
    last_correlation = record->correlation;
    last_launch = record->launch;
}

TEST(trace_listener_gets_each_launch_with_its_correlation)
{
    ck_assert_uint_eq(fd_trace_begin_launch().number, 0);
    fd_trace_listen(hear);
    ck_assert_uint_eq(fd_trace_correlate(7), 0);
    const struct fd_trace_launch launch = fd_trace_begin_launch();
    ck_assert_uint_ne(launch.number, 0);
    ck_assert_uint_eq(fd_trace_correlate(0), 7);
    (void)fd_trace_call("launch", 0, 0, 0, FD_OK);
    ck_assert_uint_eq(last_launch, launch.number);
    ck_assert_uint_eq(last_correlation, 7);
    (void)fd_trace_call("no launch", 0, 0, 0, FD_OK);
    ck_assert_uint_eq(last_launch, 0);
    fd_trace_span("kernel", 0, 0, 0, FD_OK, 1, 2, launch);
    ck_assert_uint_eq(last_launch, launch.number);
    fd_trace_listen(NULL);
    (void)fd_trace_call("after", 0, 0, 0, FD_OK);
    ck_assert_uint_eq(heard, 3);
}

TEST(trace_read_without_room_is_refused)
{
    size_t count = 0;
    ck_assert_status(fd_trace_read(NULL, 1, &count, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_trace_read(records, 1, NULL, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_trace_read(NULL, 0, &count, NULL));
}

#define WRITES 3000

static void *write_many(void *unused)
{
    (void)unused;
    for (int i = 0; i < WRITES; i++) {
        (void)fd_trace_call("call", 0, 0, 0, FD_OK);
        fd_count(&fd_live.copies);
    }
    return NULL;
}

TEST(trace_from_many_threads_keeps_every_number)
{
    pthread_t threads[4];
    struct fd_trace_record newest;
    size_t count = 0;
    uint64_t lost = 0;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_many, NULL), 0);
    for (int i = 0; i < 100; i++)
        ck_assert_ok(fd_trace_read(records, FD_TRACE_CAPACITY, &count, &lost));
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_ok(fd_trace_read(&newest, 1, &count, &lost));
    ck_assert_uint_eq(newest.sequence, 4 * WRITES);
    struct fd_counters counters;
    fd_get_counters(&counters);
    ck_assert_uint_eq(counters.copies, 4 * WRITES);
    ck_assert_uint_eq(counters.host_frees, 0);
}

static void *write_until_told(void *stop)
{
    while (!atomic_load((_Atomic int *)stop))
        (void)fd_trace_call("call", 0, 0, 0, FD_OK);
    return NULL;
}

/* A child that is forked while another thread writes must not find the ring locked. */
TEST(trace_in_child_of_writing_parent_does_not_hang)
{
    pthread_t thread;
    _Atomic int stop = 0;
    ck_assert_int_eq(pthread_create(&thread, NULL, write_until_told, &stop), 0);
    for (int i = 0; i < 20; i++) {
        const pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0)
            _exit(fd_trace_call("child", 0, 0, 0, FD_OK));
        int status = -1;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    atomic_store(&stop, 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}
