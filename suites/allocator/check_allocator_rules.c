/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that there is one allocator, and tests PyTorch's rules for allocators.
 */
#include "expect.h"
#include "sample.h"

static void is_always_the_same_object(struct assay_check *check)
{
    const void *const allocator = bridge_allocator_identity();
    struct bridge_tensor *tensor = NULL;
    if (!allocator)
        assay_skip(check, "memory.allocator", "no allocator is registered for PrivateUse1");
    for (uint32_t i = 0; i < check->device_count; i++) {
        require_ok(check,
                   assay_sample_empty(check, BRIDGE_FLOAT, 64, assay_device(check, i), &tensor));
        bridge_tensor_free(tensor);
        expect_pointer(check, bridge_allocator_identity(), allocator,
                       "the allocator is the same object before and after each use");
    }
}

static void is_a_device_allocator(struct assay_check *check)
{
    struct bridge_memory_stats stats;
    const int32_t device = assay_device(check, 0);
    if (!bridge_allocator_has_stats())
        assay_skip(check, "memory.stats", "the allocator is not a c10::DeviceAllocator");
    require_ok(check, bridge_guard_set(device));
    expect_ok(check, bridge_memory_get_stats(device, &stats));
    expect_ok(check, bridge_memory_empty_cache());
}

static void ordinary_blocks_tell_whether_they_are_simple(struct assay_check *check)
{
    struct bridge_block block = {0};
    int32_t simple = -1, foreign = -1;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_allocate(assay_sample_bytes(check, 64), &block));
    require_ok(check, bridge_block_is_simple(&block, &simple));
    check->host->note(check, "ordinary blocks", simple ? "simple" : "not simple: no copy-on-write");
    if (block.context == block.data)
        expect_int(check, simple, 1, "a block whose context is its pointer is simple");
    require_ok(check, bridge_foreign_is_simple(&foreign));
    expect_int(check, foreign, 0,
               "a pointer whose context is an object of another owner is not simple");
    expect_ok(check, bridge_block_free(&block));
}

static void higher_priority_allocator_replaces_lower(struct assay_check *check)
{
    int32_t chosen = -1;
    require_ok(check, bridge_set_unused_allocator(0, 0, &chosen));
    require_ok(check, bridge_set_unused_allocator(1, 0, &chosen));
    expect_int(check, chosen, 1, "SetAllocator with equal priority replaces the allocator");
    require_ok(check, bridge_set_unused_allocator(0, 2, &chosen));
    expect_int(check, chosen, 0, "SetAllocator with higher priority replaces the allocator");
    require_ok(check, bridge_set_unused_allocator(1, 1, &chosen));
    expect_int(check, chosen, 0, "SetAllocator with lower priority is ignored");
}

static void cpu_has_no_device_allocator(struct assay_check *check)
{
    expect_refused(check, bridge_cpu_device_allocator(), "getDeviceAllocator(CPU) raises");
}

const struct assay_check_row allocator_rules_checks[] = {
    {"allocator.is_always_the_same_object", is_always_the_same_object},
    {"allocator.is_a_device_allocator", is_a_device_allocator},
    {"allocator.is_simple_data_ptr_requires_the_memory_as_context",
     ordinary_blocks_tell_whether_they_are_simple},
    {"allocator.higher_priority_allocator_replaces_lower",
     higher_priority_allocator_replaces_lower},
    {"allocator.cpu_has_no_device_allocator", cpu_has_no_device_allocator},
    {0},
};
