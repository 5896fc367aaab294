/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests requests that are too large. The allocator must refuse such a request, and the next request
 * must work as before.
 */
#include "expect.h"
#include "sample.h"

/* No device has 64 TiB. An allocator that truncates this size to 32 bits allocates one page. */
static const uint64_t beyond = (UINT64_C(1) << 46) + 4096;

static void failed_request_keeps_statistics(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_memory_stats before, after;
    struct bridge_block block = {0};
    if (!bridge_allocator_has_stats())
        assay_skip(check, "memory.stats", "the allocator is not a c10::DeviceAllocator");
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(assay_sample_bytes(check, 1000), &block));
    require_ok(check, bridge_memory_get_stats(device, &before));
    for (int i = 0; i < 3; i++) {
        struct bridge_block none = {0};
        const int refused = bridge_allocate(beyond, &none) != 0;
        bridge_block_free(&none);
        if (!refused) /* checks of ALLOC-017 report this failure */
            assay_give_up(ASSAY_LINE(check), ASSAY_FINDING_BLOCKED,
                          "a refusal of an oversized request",
                          "a request beyond any memory succeeded");
    }
    require_ok(check, bridge_memory_get_stats(device, &after));
    expect_int(check, after.allocated_bytes, before.allocated_bytes,
               "a failed request is not counted as allocated");
    expect_int(check, after.allocations, before.allocations,
               "a failed request is not counted as a block");
    expect_int(check, after.allocated_bytes_total, before.allocated_bytes_total,
               "a failed request is not counted in the total of all allocations");
    expect_ok(check, bridge_block_free(&block));
}

/* PyTorch accepts these sizes and strides, although the storage would need 2^41 bytes or more. */
static void overflowing_strides_raise(struct assay_check *check)
{
    static const struct {
        int64_t sizes[2], strides[2];
    } rows[] = {
        {{INT64_C(1) << 40, INT64_C(1) << 40}, {1, 1}},
        {{INT64_C(1) << 46, 17}, {1, 256}},
        {{INT64_C(1) << 46, 2}, {1, INT64_C(1) << 46}},
    };
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bridge_tensor *tensor = NULL;
        const struct bridge_value values[] = {
            {.kind = BRIDGE_INTS, .ints = rows[i].sizes, .count = 2},
            {.kind = BRIDGE_INTS, .ints = rows[i].strides, .count = 2},
            {.kind = BRIDGE_INT, .integer = BRIDGE_UINT8},
            {.kind = BRIDGE_NONE},
            {.kind = BRIDGE_DEVICE, .integer = assay_device(check, 0)},
        };
        int32_t status = bridge_call("aten::empty_strided", values, 5, &tensor);
        if (status == ASSAY_EUNSUPPORTED)
            require_op(check, "aten::empty_strided", status);
        if (status == ASSAY_OK)
            status = assay_sample_round_trip(check, assay_device(check, 0));
        expect_refused(check, status, "a tensor whose storage is larger than any memory raises");
        bridge_tensor_free(tensor);
    }
}

const struct assay_check_row exhaustion_checks[] = {
    {"allocator.failed_request_keeps_statistics", failed_request_keeps_statistics},
    {"allocator.overflowing_strides_raise", overflowing_strides_raise},
    {0},
};
