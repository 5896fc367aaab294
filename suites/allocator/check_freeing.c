/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that any thread can free a block while any device is current, and that the block is freed
 * on the device that owns it.
 */
#include "bounded.h"
#include "sample.h"

#include <inttypes.h>

static void raw_deleter_equals_the_deleter_of_blocks(struct assay_check *check)
{
    const void *first = NULL, *later = NULL;
    struct bridge_block block = {0};
    require_ok(check, bridge_raw_deleter(&first));
    if (!first)
        assay_skip(check, "memory.raw", "raw_deleter() is null");
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_allocate(assay_sample_bytes(check, 64), &block));
    assay_is_about_clause(check, "ALLOC-008");
    require_ok(check, bridge_raw_deleter(&later));
    expect_pointer(check, later, first, "raw_deleter() is always the same function");
    expect_pointer(check, bridge_block_deleter(&block), first,
                   "raw_deleter() is the deleter of every block");
    assay_is_about_clause(check, "ALLOC-009");
    expect_pointer(check, block.context, block.data,
                   "with a raw deleter, a block's context is its pointer");
    expect_ok(check, bridge_block_free(&block));
}

struct freeing {
    struct assay_check *check;
    struct bridge_block block;
    int32_t current;
};

static void free_under_other_device(void *context)
{
    struct freeing *const freeing = context;
    expect_ok(freeing->check, bridge_guard_set(freeing->current));
    expect_ok(freeing->check, bridge_block_free(&freeing->block));
    expect_device(freeing->check, bridge_guard_current(), freeing->current,
                  "freeing does not change the current device");
}

static void free_accepts_any_thread_and_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct freeing freeing = {.check = check, .current = first};
    require_ok(check, bridge_guard_set(second));
    require_ok(check, bridge_allocate(assay_sample_bytes(check, 4096), &freeing.block));
    assay_on_thread(check, free_under_other_device, &freeing, "freeing returns");
    expect_device(check, bridge_guard_current(), second,
                  "a free on another thread does not change this thread's device");
}

static void statistics_return_to_the_baseline(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_memory_stats before, held, after;
    struct bridge_block blocks[5] = {0};
    if (!bridge_allocator_has_stats())
        assay_skip(check, "memory.stats", "the allocator is not a c10::DeviceAllocator");
    assay_need_any_size(check);
    require_ok(check, bridge_guard_set(second));
    require_ok(check, bridge_memory_get_stats(second, &before));
    for (size_t i = 0; i < 5; i++)
        require_ok(check, bridge_allocate(1000 + 777 * i, &blocks[i]));
    require_ok(check, bridge_memory_get_stats(second, &held));
    expect_that(check, held.allocated_bytes >= before.allocated_bytes + 12770,
                "live blocks are counted with at least the requested bytes",
                "allocated bytes rose by %" PRId64 ", expected at least 12770",
                (int64_t)(held.allocated_bytes - before.allocated_bytes));
    require_ok(check, bridge_guard_set(first));
    for (size_t i = 0; i < 5; i++)
        require_ok(check, bridge_block_free(&blocks[i]));
    require_ok(check, bridge_memory_get_stats(second, &after));
    expect_int(check, after.allocated_bytes, before.allocated_bytes,
               "after freeing all blocks, allocated bytes are as before");
}

static void copy_data_copies_all_bytes(struct assay_check *check)
{
    enum { SIZE = 257 };
    const int32_t device = assay_device(check, 0);
    uint8_t bytes[SIZE], back[SIZE] = {0};
    uint64_t random = check->seed;
    struct bridge_block source = {0}, copy = {0};
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(assay_random(&random) | 1);
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(SIZE, &source));
    require_ok(check, bridge_allocate(SIZE, &copy));
    require_ok(check, bridge_write(copy.data, device, back, SIZE));
    require_ok(check, bridge_write(source.data, device, bytes, SIZE));
    require_ok(check, bridge_copy_data(copy.data, source.data, SIZE));
    require_ok(check, bridge_read(copy.data, device, back, SIZE));
    expect_bytes(check, back, bytes, SIZE, "copy_data copies exactly the requested bytes");
    expect_ok(check, bridge_block_free(&copy));
    expect_ok(check, bridge_block_free(&source));
}

const struct assay_check_row freeing_checks[] = {
    {"allocator.raw_deleter_equals_the_deleter_of_blocks",
     raw_deleter_equals_the_deleter_of_blocks},
    {"allocator.free_accepts_any_thread_and_current_device",
     free_accepts_any_thread_and_current_device},
    {"allocator.statistics_return_to_the_baseline", statistics_return_to_the_baseline},
    {"allocator.copy_data_copies_all_bytes", copy_data_copies_all_bytes},
    {0},
};
