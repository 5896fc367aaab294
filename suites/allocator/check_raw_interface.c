/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the deleters of the raw interface (raw_allocate, raw_deallocate) and of empty allocations.
 */
#include "expect.h"
#include "sample.h"

#include <inttypes.h>

static void need_raw(struct assay_check *check)
{
    const void *deleter = NULL;
    require_ok(check, bridge_raw_deleter(&deleter));
    if (!deleter)
        assay_skip(check, "memory.raw", "raw_deleter() is null");
}

static void raw_allocation_has_its_pointer_as_context(struct assay_check *check)
{
    const uint64_t sizes[] = {1, 64, 513, 100000};
    need_raw(check);
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bridge_block block = {0};
        require_ok(check, bridge_allocate(assay_sample_bytes(check, sizes[i]), &block));
        expect_pointer(check, block.context, block.data,
                       "with a raw deleter, a block's context is its pointer");
        expect_ok(check, bridge_block_free(&block));
    }
}

/* Memory of raw_allocate is counted in the statistics, if there are any, and is freed. */
static void raw_memory_can_be_allocated_and_freed(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_memory_stats before = {0}, held = {0}, after = {0};
    const int stats = bridge_allocator_has_stats();
    uint8_t bytes[] = {3, 1, 4, 1, 5, 9, 2, 6}, back[sizeof bytes] = {0};
    void *pointer = NULL;
    need_raw(check);
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    require_ok(check, bridge_guard_set(device));
    if (stats)
        require_ok(check, bridge_memory_get_stats(device, &before));
    require_ok(check, bridge_raw_allocate(4096, &pointer));
    require_that(check, pointer != NULL, "raw_allocate(4096) returns memory", "it returned null");
    require_ok(check, bridge_write(pointer, device, bytes, sizeof bytes));
    require_ok(check, bridge_read(pointer, device, back, sizeof bytes));
    expect_bytes(check, back, bytes, sizeof bytes, "memory of raw_allocate can be used");
    if (stats) {
        require_ok(check, bridge_memory_get_stats(device, &held));
        expect_that(check, held.allocated_bytes >= before.allocated_bytes + 4096,
                    "memory of raw_allocate is counted",
                    "allocated bytes rose by %" PRId64 ", expected at least 4096",
                    (int64_t)(held.allocated_bytes - before.allocated_bytes));
    }
    expect_ok(check, bridge_raw_deallocate(pointer));
    if (stats) {
        require_ok(check, bridge_memory_get_stats(device, &after));
        expect_int(check, after.allocated_bytes, before.allocated_bytes,
                   "raw_deallocate frees the memory of raw_allocate");
    }
}

static void deleter_accepts_null(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    struct bridge_block block = {0}, empty = {0};
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(assay_sample_bytes(check, 64), &block));
    require_that(check, bridge_block_deleter(&block) != NULL, "a block has a deleter",
                 "DataPtr::get_deleter is null");
    expect_ok(check, bridge_block_delete_null(&block));
    expect_device(check, bridge_guard_current(), device,
                  "deleting a null pointer does not change the current device");
    expect_ok(check, bridge_block_free(&block));
    require_ok(check, bridge_allocate(0, &empty));
    expect_ok(check, bridge_block_free(&empty));
}

const struct assay_check_row raw_interface_checks[] = {
    {"allocator.raw_allocation_has_its_pointer_as_context",
     raw_allocation_has_its_pointer_as_context},
    {"allocator.raw_memory_can_be_allocated_and_freed", raw_memory_can_be_allocated_and_freed},
    {"allocator.deleter_accepts_null", deleter_accepts_null},
    {0},
};
