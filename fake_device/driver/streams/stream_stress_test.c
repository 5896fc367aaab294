/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eight threads use streams, events, gates and copies at the same time. The thread sanitizer and
 * the counters detect errors. The number of operations is fixed, so the time is bounded.
 */
#include "stream_internal.h"
#include "stream_test_support.h"

#include "settings.h"
#include "unit_test.h"

#define THREADS 8
#define ROUNDS 400

static fd_stream *shared_streams[4];
static fd_event *shared_events[4];
static _Atomic uint64_t executed;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static fd_status count_task(void *arguments)
{
    (void)arguments;
    atomic_fetch_add(&executed, 1);
    return FD_OK;
}

/* Ordinary memory that an event protects. If the wait does not order the accesses, the thread
 * sanitizer reports a race. */
struct baton {
    int *value;
};

static fd_status increase_task(void *arguments)
{
    const struct baton *baton = arguments;
    (*baton->value)++;
    return FD_OK;
}

/* Two streams of different devices pass one value back and forth, ordered by events. */
static void pass_a_baton(fd_stream *const streams[2], int *value)
{
    const struct baton baton = {value};
    for (int i = 0; i < 8; i++) {
        fd_event *event = make_event(0);
        ck_assert_ok(
            fd_stream_launch(streams[i % 2], "increase", increase_task, &baton, sizeof baton));
        ck_assert_ok(fd_event_record(event, streams[i % 2]));
        ck_assert_ok(fd_stream_wait_event(streams[!(i % 2)], event));
        ck_assert_ok(fd_event_destroy(event));
    }
}

static void use_shared_things(uint32_t *random)
{
    fd_stream *stream = shared_streams[next_random(random) % 4];
    fd_event *event = shared_events[next_random(random) % 4];
    ck_assert_ok(fd_stream_launch(stream, "count", count_task, NULL, 0));
    const fd_status recorded = fd_event_record(event, stream);
    /* the event may belong to the other device */
    ck_assert(recorded == FD_OK || recorded == FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_stream_wait_event(shared_streams[next_random(random) % 4], event));
    const fd_status seen = fd_event_query(event);
    ck_assert(seen == FD_OK || seen == FD_ERROR_NOT_READY);
    if (next_random(random) % 8 == 0)
        ck_assert_ok(fd_event_synchronize(event));
    if (next_random(random) % 16 == 0)
        ck_assert_ok(fd_device_synchronize((int32_t)(next_random(random) % 2)));
}

static void use_own_things(uint32_t *random)
{
    fd_stream *const streams[2] = {make_stream(0), make_stream(1)};
    fd_gate *gate = make_gate(streams[next_random(random) % 2]);
    unsigned char byte = 1;
    void *block = NULL;
    int value = 0;
    ck_assert_ok(fd_memory_allocate(0, 1, streams[0], &block));
    ck_assert_ok(fd_memory_copy_async(block, &byte, 1, streams[0]));
    ck_assert_ok(fd_memory_free(block));
    pass_a_baton(streams, &value);
    ck_assert_ok(fd_gate_open(gate));
    ck_assert_ok(fd_stream_synchronize(streams[0]));
    ck_assert_ok(fd_stream_synchronize(streams[1]));
    ck_assert_int_eq(value, 8);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_launch(streams[0], "count", count_task, NULL, 0));
    ck_assert_ok(fd_stream_destroy(streams[0]));
    ck_assert_ok(fd_stream_destroy(streams[1]));
}

static void *stress(void *argument)
{
    uint32_t random = (uint32_t)(uintptr_t)argument + 1;
    for (int i = 0; i < ROUNDS; i++) {
        use_shared_things(&random);
        if (i % 4 == 0)
            use_own_things(&random);
    }
    return NULL;
}

static void stress_all(void)
{
    pthread_t threads[THREADS];
    atomic_store(&executed, 0);
    for (int i = 0; i < 4; i++) {
        shared_streams[i] = make_stream(i % 2);
        shared_events[i] = make_event(0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, stress, (void *)(uintptr_t)i), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_device_synchronize(1));
}

TEST(stress_runs_every_task_once)
{
    struct fd_counters counters;
    stress_all();
    ck_assert_uint_eq(atomic_load(&executed), THREADS * (ROUNDS + ROUNDS / 4));
    fd_get_counters(&counters);
    ck_assert_uint_eq(counters.tasks_enqueued, counters.tasks_completed);
    ck_assert_uint_eq(counters.streams_created, counters.streams_destroyed + 4);
    ck_assert_uint_eq(counters.events_created, counters.events_destroyed + 4);
}

TEST(stress_on_a_late_device_runs_every_task_once)
{
    fd_settings_for_tests()->late_completion = 1;
    stress_all();
    ck_assert_uint_eq(atomic_load(&executed), THREADS * (ROUNDS + ROUNDS / 4));
    fd_settings_for_tests()->late_completion = 0;
}

/* ---- handles destroyed while other threads use them ---- */

static fd_stream *_Atomic victim_stream;
static fd_event *_Atomic victim_event;

static void *use_victims(void *argument)
{
    (void)argument;
    for (int i = 0; i < 2000; i++) {
        fd_stream *stream = atomic_load(&victim_stream);
        fd_event *event = atomic_load(&victim_event);
        (void)fd_stream_launch(stream, "count", count_task, NULL, 0);
        (void)fd_event_record(event, stream);
        (void)fd_stream_wait_event(shared_streams[0], event);
        (void)fd_event_query(event);
        (void)fd_stream_query(stream);
        (void)fd_stream_id(stream);
    }
    return NULL;
}

static void *kill_victims(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000; i++) {
        (void)fd_stream_destroy(atomic_exchange(&victim_stream, make_stream(i % 2)));
        (void)fd_event_destroy(atomic_exchange(&victim_event, make_event(0)));
    }
    return NULL;
}

TEST(destroy_in_one_thread_while_others_use_is_refused_or_done)
{
    pthread_t threads[THREADS];
    shared_streams[0] = make_stream(0);
    atomic_store(&victim_stream, make_stream(0));
    atomic_store(&victim_event, make_event(0));
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(
            pthread_create(&threads[i], NULL, i == 0 ? kill_victims : use_victims, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_device_synchronize(1));
}

TEST(lose_and_reset_under_load_leaves_a_working_device)
{
    pthread_t threads[THREADS];
    shared_streams[0] = make_stream(1);
    atomic_store(&victim_stream, make_stream(0));
    atomic_store(&victim_event, make_event(0));
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_victims, NULL), 0);
    for (int i = 0; i < 100; i++) {
        ck_assert_ok(fd_device_lose(0));
        ck_assert_ok(fd_device_reset(0));
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    (void)fd_device_synchronize(0); /* wait for the work of the handles that were dropped last */
    (void)fd_device_synchronize(1);
    ck_assert_ok(fd_stream_launch(atomic_load(&victim_stream), "count", count_task, NULL, 0));
    ck_assert_ok(fd_device_synchronize(0));
}
