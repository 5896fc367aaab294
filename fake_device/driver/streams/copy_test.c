/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests copies in every direction, in stream order, with blocks that are freed immediately, and
 * with source or destination out of bounds.
 */
#include "stream_test_support.h"

#include "settings.h"
#include "unit_test.h"

#include <string.h>

#define SIZE ((size_t)10000)

static unsigned char source[SIZE], target[SIZE];

static void fill_source(int seed)
{
    for (size_t i = 0; i < SIZE; i++)
        source[i] = (unsigned char)(i * 7 + (size_t)seed);
    memset(target, 0, SIZE);
}

static void *device_memory(int32_t device)
{
    void *pointer = NULL;
    ck_assert_ok(fd_memory_allocate(device, SIZE, NULL, &pointer));
    return pointer;
}

static void *pinned_memory(void)
{
    void *pointer = NULL;
    ck_assert_ok(fd_host_allocate(SIZE, &pointer));
    return pointer;
}

TEST(copy_in_all_directions_keeps_the_bytes)
{
    needs_two_devices();
    void *places[] = {source,          device_memory(0), device_memory(1),
                      pinned_memory(), device_memory(0), target};
    const size_t count = sizeof places / sizeof places[0];
    fill_source(1);
    for (size_t i = 0; i + 1 < count; i++)
        ck_assert_ok(fd_memory_copy(places[i + 1], places[i], SIZE));
    ck_assert_mem_eq(source, target, SIZE);
    ck_assert_ok(fd_memory_copy(target, source + 1, SIZE - 1));
    ck_assert_mem_eq(target, source + 1, SIZE - 1);
}

TEST(copy_async_from_pageable_has_read_the_source_on_return)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    void *device = device_memory(0);
    fill_source(2);
    ck_assert_ok(fd_memory_copy_async(device, source, SIZE, stream));
    ck_assert_status(fd_stream_query(stream), FD_ERROR_NOT_READY);
    memset(source, 0xee, SIZE);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_memory_copy_async(target, device, SIZE, stream));
    fill_source(2);
    unsigned char expected[64];
    memcpy(expected, source, sizeof expected);
    ck_assert_ok(fd_memory_copy(target, device, SIZE));
    ck_assert_mem_eq(target, expected, sizeof expected);
}

TEST(copy_async_from_pinned_reads_when_its_turn_comes)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    unsigned char *pinned = pinned_memory();
    void *device = device_memory(0);
    memset(pinned, 1, SIZE);
    ck_assert_ok(fd_memory_copy_async(device, pinned, SIZE, stream));
    memset(pinned, 2, SIZE);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_ok(fd_memory_copy(target, device, SIZE));
    ck_assert_int_eq(target[SIZE - 1], 2);
}

TEST(copy_async_to_pageable_waits_for_the_stream)
{
    fd_stream *stream = make_stream(1);
    void *device = device_memory(1);
    for (int i = 0; i < 100; i++) {
        ck_assert_ok(fd_memory_set_async(device, (uint8_t)i, SIZE, stream));
        ck_assert_ok(fd_memory_copy_async(target, device, SIZE, stream));
        ck_assert_int_eq(target[0], i);
        ck_assert_int_eq(target[SIZE - 1], i);
    }
}

TEST(copy_async_of_a_block_freed_at_once_still_sees_it)
{
    fd_stream *stream = make_stream(0), *other = make_stream(0);
    fd_gate *gate = make_gate(stream);
    void *block = NULL, *next = NULL, *kept = device_memory(0);
    ck_assert_ok(fd_memory_allocate(0, SIZE, stream, &block));
    fill_source(3);
    ck_assert_ok(fd_memory_copy_async(block, source, SIZE, stream));
    ck_assert_ok(fd_memory_copy_async(kept, block, SIZE, stream));
    ck_assert_ok(fd_memory_free(block));
    ck_assert_ok(fd_memory_allocate(0, SIZE, other, &next));
    ck_assert_ok(fd_memory_set_async(next, 0, SIZE, other));
    ck_assert_ok(fd_stream_synchronize(other));
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_ok(fd_memory_copy(target, kept, SIZE));
    ck_assert_mem_eq(source, target, SIZE);
}

TEST(copy_is_ordered_on_the_current_streams_of_both_devices)
{
    fd_stream *streams[2] = {make_stream(0), make_stream(1)};
    void *blocks[2] = {device_memory(0), device_memory(1)};
    for (int32_t i = 0; i < 2; i++)
        ck_assert_ok(fd_stream_set_current(streams[i], NULL));
    for (int i = 0; i < 100; i++) {
        ck_assert_ok(fd_memory_set_async(blocks[0], (uint8_t)i, SIZE, streams[0]));
        ck_assert_ok(fd_memory_set_async(blocks[1], 0xff, SIZE, streams[1]));
        ck_assert_ok(fd_memory_copy(blocks[1], blocks[0], SIZE));
        ck_assert_ok(fd_memory_copy(target, blocks[1], SIZE));
        ck_assert_int_eq(target[SIZE - 1], i);
    }
}

TEST(copy_of_nothing_succeeds_with_any_pointer)
{
    fd_stream *stream = make_stream(0);
    void *wild = (void *)(uintptr_t)0x10; /* NOLINT: never dereferenced */
    ck_assert_ok(fd_memory_copy(NULL, NULL, 0));
    ck_assert_ok(fd_memory_copy(wild, NULL, 0));
    ck_assert_ok(fd_memory_copy_async(NULL, wild, 0, stream));
    ck_assert_ok(fd_memory_set_async(NULL, 1, 0, stream));
}

TEST(copy_out_of_bounds_is_refused)
{
    fd_stream *stream = make_stream(0);
    unsigned char *device = device_memory(0), *pinned = pinned_memory();
    ck_assert_status(fd_memory_copy(device, source, SIZE + 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_copy(device + 1, source, SIZE), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_copy(target, device + SIZE - 1, 2), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_copy(pinned + 1, device, SIZE), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_copy_async(device, source, SIZE + 1, stream),
                     FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_set_async(device + 1, 0, SIZE, stream), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_copy(NULL, source, 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_copy(device, NULL, 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_set_async(target, 0, 1, stream), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_memory_free(device));
    ck_assert_status(fd_memory_copy(target, device, 1), FD_ERROR_INVALID_HANDLE);
}

TEST(copy_on_a_dead_stream_is_refused)
{
    fd_stream *stream = make_stream(0);
    void *device = device_memory(0);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_status(fd_memory_copy_async(device, source, SIZE, stream), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_set_async(device, 0, SIZE, stream), FD_ERROR_INVALID_HANDLE);
}

TEST(set_on_a_disabled_peer_is_refused)
{
    fd_stream *stream = make_stream(1);
    void *device = device_memory(0);
    ck_assert_ok(fd_memory_set_async(device, 1, SIZE, stream));
    ck_assert_ok(fd_device_enable_peer(1, 0, 0));
    ck_assert_status(fd_memory_set_async(device, 1, SIZE, stream), FD_ERROR_PEER_DISABLED);
    ck_assert_ok(fd_memory_copy_async(device, source, SIZE, stream));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_ok(fd_device_enable_peer(1, 0, 1));
}

TEST(copy_reports_the_error_of_a_task_before_it)
{
    fd_stream *stream = NULL;
    void *device = device_memory(0);
    ck_assert_ok(fd_stream_default(0, &stream));
    launch_failure(stream, 5);
    ck_assert_status(fd_memory_copy(target, device, 1), FD_ERROR_KERNEL);
    ck_assert_ok(fd_memory_copy(target, device, 1));
}

static fd_status copy_inside(void *arguments)
{
    void *device = *(void **)arguments;
    return fd_memory_copy(target, device, 1) == FD_ERROR_INVALID_VALUE ? FD_OK : FD_ERROR_KERNEL;
}

TEST(copy_that_waits_inside_a_task_is_refused)
{
    fd_stream *stream = make_stream(0);
    void *device = device_memory(0);
    ck_assert_ok(fd_stream_launch(stream, "copy inside", copy_inside, &device, sizeof device));
    ck_assert_ok(fd_stream_synchronize(stream));
}

TEST(copy_with_eager_streams_is_done_on_return)
{
    fd_settings_for_tests()->eager_streams = 1;
    fd_stream *stream = make_stream(0);
    unsigned char *pinned = pinned_memory();
    void *device = device_memory(0);
    fill_source(4);
    ck_assert_ok(fd_memory_copy_async(device, source, SIZE, stream));
    ck_assert_ok(fd_memory_copy_async(pinned, device, SIZE, stream));
    ck_assert_status(fd_stream_query(stream), FD_OK);
    ck_assert_mem_eq(pinned, source, SIZE);
    fd_settings_for_tests()->eager_streams = 0;
}
