/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests stream-aware reuse of blocks, and allocation from many threads. Gates determine the
 * order of work.
 */
#include "memory_test_support.h"

#include "settings.h"
#include "unit_test.h"

#include <string.h>

#define WHOLE (3 * MIB) /* a block of this size has its own segment */

TEST(freed_block_is_reused_at_once_by_its_own_stream)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    void *first = take(0, WHOLE, stream);
    give(first);
    ck_assert_ptr_eq(take(0, WHOLE, stream), first);
    ck_assert_ok(fd_gate_destroy(gate));
}

TEST(freed_block_waits_for_its_stream_before_others_get_it)
{
    fd_stream *a = make_stream(0), *b = make_stream(0);
    void *first = take(0, WHOLE, a);
    fd_gate *gate = make_gate(a);
    give(first);
    ck_assert_ptr_ne(take(0, WHOLE, b), first);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(a));
    ck_assert_ptr_eq(take(0, WHOLE, b), first);
}

TEST(work_after_the_free_does_not_hold_a_block)
{
    fd_stream *a = make_stream(0), *b = make_stream(0);
    void *first = take(0, WHOLE, a);
    give(first);
    fd_gate *gate = make_gate(a);
    ck_assert_ptr_eq(take(0, WHOLE, b), first);
    ck_assert_ok(fd_gate_destroy(gate));
}

TEST(recorded_block_waits_for_the_recorded_stream_too)
{
    fd_stream *a = make_stream(0), *b = make_stream(1);
    unsigned char *first = take(0, WHOLE, a);
    ck_assert_ok(fd_memory_record_stream(first + 5, b));
    ck_assert_ok(fd_memory_record_stream(first, b));
    ck_assert_ok(fd_memory_record_stream(first, a));
    fd_gate *gate = make_gate(b);
    give(first);
    ck_assert_ptr_ne(take(0, WHOLE, a), first);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(b));
    ck_assert_ptr_eq(take(0, WHOLE, a), first);
}

TEST(record_of_what_is_not_live_is_refused)
{
    int garbage = 0;
    fd_stream *stream = make_stream(0);
    void *pointer = take(0, 100, NULL);
    ck_assert_status(fd_memory_record_stream(&garbage, stream), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_record_stream(pointer, (fd_stream *)(void *)&garbage),
                     FD_ERROR_INVALID_HANDLE);
    give(pointer);
    ck_assert_status(fd_memory_record_stream(pointer, stream), FD_ERROR_INVALID_HANDLE);
}

TEST(block_of_destroyed_stream_waits_for_its_last_work)
{
    fd_stream *a = make_stream(0), *b = make_stream(0);
    void *first = take(0, WHOLE, a);
    fd_gate *gate = make_gate(a);
    ck_assert_ok(fd_stream_destroy(a));
    give(first);
    ck_assert_ptr_ne(take(0, WHOLE, b), first);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ptr_eq(take(0, WHOLE, b), first);
}

TEST(poison_of_destroyed_stream_comes_with_its_last_work)
{
    needs_usual_memory();
    fd_settings_for_tests()->poisoned_free = 1;
    fd_stream *a = make_stream(0), *b = make_stream(0);
    void *first = take(0, WHOLE, a);
    unsigned char *alias = alias_of(first, WHOLE);
    fd_gate *gate = make_gate(a);
    ck_assert_ok(fd_stream_destroy(a));
    give(first);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ptr_eq(take(0, WHOLE, b), first);
    ck_assert_uint_eq(alias[WHOLE - 1], 0xff);
}

TEST(empty_cache_keeps_blocks_that_are_still_in_use)
{
    needs_usual_memory();
    fd_stream *a = make_stream(0);
    void *first = take(0, WHOLE, a);
    fd_gate *gate = make_gate(a);
    give(first);
    ck_assert_ok(fd_memory_empty_cache(0));
    ck_assert_uint_eq(stats_of(0).reserved_bytes.current, 4 * MIB);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(a));
    ck_assert_ok(fd_memory_empty_cache(0));
    ck_assert_uint_eq(stats_of(0).reserved_bytes.current, 0);
}

/* Adjacent blocks that were freed while different streams used them are merged when both streams
 * are done. */
TEST(blocks_of_different_streams_join_when_both_are_done)
{
    needs_usual_memory();
    fd_stream *a = make_stream(0), *b = make_stream(0);
    void *of_a = take(0, 1 * MIB, a), *of_b = take(0, 1 * MIB, b);
    ck_assert_uint_eq(stats_of(0).segments.current, 1);
    fd_gate *gate = make_gate(a);
    ck_assert_ok(fd_gate_close(gate, b));
    give(of_a);
    give(of_b);
    ck_assert_uint_eq(stats_of(0).inactive_blocks.current, 2);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_memory_empty_cache(0));
    ck_assert_uint_eq(stats_of(0).inactive_blocks.current, 0);
}

static void *open_gate(void *gate)
{
    ck_assert_ok(fd_gate_open(gate));
    return NULL;
}

TEST(exhausted_allocation_waits_for_freed_memory_in_use)
{
    fd_settings_for_tests()->memory = 64 * MIB;
    fd_stream *a = make_stream(0), *b = make_stream(0);
    void *everything = take(0, 64 * MIB, a);
    fd_gate *gate = make_gate(a);
    give(everything);
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, open_gate, gate), 0);
    ck_assert_ptr_eq(take(0, 64 * MIB, b), everything);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_ok(fd_gate_destroy(gate));
}

/* ---- many threads ---------------------------------------------------------------------------- */

#define THREADS 4
#define OPERATIONS 3000
#define SLOTS 64

/* A block that any thread may free. The first and last bytes of the block hold a marker. */
struct slot {
    pthread_mutex_t lock;
    unsigned char *pointer;
    size_t size;
    unsigned char mark;
};
static struct slot slots[SLOTS];

static void check_and_give(struct slot *slot)
{
    const unsigned char *alias = alias_of(slot->pointer, slot->size);
    ck_assert_uint_eq(alias[0], slot->mark);
    ck_assert_uint_eq(alias[slot->size - 1], slot->mark);
    give(slot->pointer);
    slot->pointer = NULL;
}

static void fill(struct slot *slot, unsigned random, fd_stream *stream, fd_stream *other)
{
    slot->size = random % 16 == 0 ? random % (3u << 20) + 1 : random % 20000 + 1;
    slot->mark = (unsigned char)random;
    slot->pointer = take(fd_stream_device(stream), slot->size, stream);
    unsigned char *alias = alias_of(slot->pointer, slot->size);
    alias[0] = alias[slot->size - 1] = slot->mark;
    if (random % 5 == 0)
        ck_assert_ok(fd_memory_record_stream(slot->pointer, other));
}

static fd_status no_task(void *unused)
{
    (void)unused;
    return FD_OK;
}

static void *operate(void *argument)
{
    const unsigned number = (unsigned)(uintptr_t)argument;
    fd_stream *stream = make_stream((int32_t)(number % 2)), *other = make_stream(1);
    unsigned random = number * 2654435761u + 1;
    struct fd_block block;
    for (int i = 0; i < OPERATIONS; i++) {
        random = random * 1664525u + 1013904223u;
        struct slot *slot = &slots[(random >> 8) % SLOTS];
        (void)pthread_mutex_lock(&slot->lock);
        if (slot->pointer) {
            ck_assert_ok(fd_memory_find(slot->pointer + slot->size - 1, &block));
            ck_assert_ptr_eq(block.base, slot->pointer);
            check_and_give(slot);
        } else {
            fill(slot, random >> 4, stream, other);
        }
        (void)pthread_mutex_unlock(&slot->lock);
        if (random % 8 == 0)
            ck_assert_ok(fd_stream_launch(random & 64 ? stream : other, "no", no_task, NULL, 0));
        if (random % 512 == 0)
            ck_assert_ok(fd_memory_empty_cache((int32_t)(number % 2)));
    }
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_ok(fd_stream_destroy(other));
    return NULL;
}

TEST_TIMES(many_threads_keep_blocks_disjoint_and_stats_exact, 2)
{
    needs_usual_freed_memory();
    fd_settings_for_tests()->caching = _i == 0;
    pthread_t threads[THREADS];
    for (int i = 0; i < SLOTS; i++)
        ck_assert_int_eq(pthread_mutex_init(&slots[i].lock, NULL), 0);
    for (uintptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, operate, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < SLOTS; i++)
        if (slots[i].pointer)
            check_and_give(&slots[i]);
    /* Synchronise both devices before a cache is emptied, because blocks of one device are
     * recorded on streams of the other. */
    for (int32_t device = 0; device < 2; device++)
        ck_assert_ok(fd_device_synchronize(device));
    for (int32_t device = 0; device < 2; device++) {
        ck_assert_ok(fd_memory_empty_cache(device));
        const struct fd_memory_stats stats = stats_of(device);
        ck_assert_uint_gt(stats.blocks.allocated, OPERATIONS / 4);
        ck_assert_uint_eq(stats.blocks.current + stats.allocated_bytes.current +
                              stats.requested_bytes.current + stats.reserved_bytes.current +
                              stats.inactive_bytes.current + stats.inactive_blocks.current +
                              stats.segments.current,
                          0);
        ck_assert_uint_eq(stats.blocks.allocated, stats.blocks.freed);
        ck_assert_uint_eq(stats.device_allocations, stats.device_frees);
    }
}
