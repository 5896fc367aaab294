/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests device indices. Every function must refuse invalid indices, because PyTorch passes them on
 * unchecked and truncates some of them to int8. No function may return the index -1.
 */
#include "sample.h"
#include "tensor_device.h"

#include <stdio.h>

static int32_t set(struct assay_check *check, int32_t device)
{
    (void)check;
    return bridge_guard_set(device);
}

static int32_t exchange(struct assay_check *check, int32_t device)
{
    (void)check;
    return bridge_guard_exchange(device).status;
}

static int32_t current_stream(struct assay_check *check, int32_t device)
{
    (void)check;
    return bridge_stream_current(device).status;
}

static int32_t factory(struct assay_check *check, int32_t device)
{
    struct bridge_tensor *tensor = NULL;
    const int32_t status = assay_sample_empty(check, BRIDGE_UINT8, 4, device, &tensor);
    bridge_tensor_free(tensor);
    return status;
}

static const struct {
    const char *name;
    int32_t (*use)(struct assay_check *check, int32_t device);
} doors[] = {
    {"setDevice", set},
    {"exchangeDevice", exchange},
    {"getStream", current_stream},
    {"aten::empty", factory},
};

static void try_door(struct assay_check *check, size_t door, int32_t index, int32_t current)
{
    char demand[80];
    snprintf(demand, sizeof demand, "%s refuses the index %d", doors[door].name, (int)index);
    expect_refused(check, doors[door].use(check, index), demand);
    snprintf(demand, sizeof demand, "%s(%d) leaves the current device unchanged", doors[door].name,
             (int)index);
    expect_device(check, bridge_guard_current(), current, demand);
    require_ok(check, bridge_guard_set(current));
}

/* For a negative index, the backend may raise, ignore the call, or return the stream of an
 * existing device. */
static void try_negative(struct assay_check *check, size_t door, int32_t current)
{
    char demand[80];
    snprintf(demand, sizeof demand, "%s(-128) leaves the current device unchanged",
             doors[door].name);
    check->host->note(check, "under way", demand);
    (void)doors[door].use(check, -128);
    expect_device(check, bridge_guard_current(), current, demand);
    require_ok(check, bridge_guard_set(current));
}

/* "foo:128" is truncated to -128. The largest index is 127. */
static void every_index_argument_is_range_checked(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    expect_that(check, count > 0 && count <= 127, "deviceCount() fits a DeviceIndex (int8)",
                "deviceCount() is %d", (int)count);
    require_ok(check, bridge_guard_set(device));
    for (size_t i = 0; i < sizeof doors / sizeof doors[0]; i++) {
        try_negative(check, i, device);
        if (count < 127) {
            try_door(check, i, count, device);
            try_door(check, i, 127, device);
        }
    }
}

static void no_tensor_has_device_index_minus_one(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    struct bridge_tensor *here = NULL, *tensor = NULL;
    struct bridge_block block = {0};
    require_ok(check, bridge_guard_set(device));
    require_ok(check, assay_sample_empty(check, BRIDGE_UINT8, 4, -1, &tensor));
    expect_on_device(check, tensor, device, "a new tensor and its storage have their index");
    bridge_tensor_free(tensor);
    tensor = NULL;
    if (!assay_sample_is_of_one_size(check)) {
        require_ok(check, assay_sample_empty(check, BRIDGE_UINT8, 0, -1, &tensor));
        expect_on_device(check, tensor, device, "an empty tensor and its storage have their index");
        bridge_tensor_free(tensor);
        tensor = NULL;
    }
    require_ok(check, assay_sample_made(check, BRIDGE_UINT8, 4, &here));
    require_ok(check, bridge_tensor_to(here, -1, &tensor));
    expect_on_device(check, tensor, device, "a copy to the device and its storage have its index");
    bridge_tensor_free(tensor);
    bridge_tensor_free(here);
    if (bridge_allocator_identity()) {
        require_ok(check, bridge_allocate(assay_sample_bytes(check, 64), &block));
        expect_int(check, block.device, device, "a DataPtr has the index of its device");
        expect_ok(check, bridge_block_free(&block));
    }
}

const struct assay_check_row guard_indices_checks[] = {
    {"guard.every_index_argument_is_range_checked", every_index_argument_is_range_checked},
    {"guard.no_tensor_has_device_index_minus_one", no_tensor_has_device_index_minus_one},
    {0},
};
