/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests on which devices factories allocate tensors, and that they refuse indices out of range.
 */
#include "sample.h"
#include "tensor_device.h"

static void factory_uses_the_current_device(struct assay_check *check)
{
    const int32_t second = assay_device(check, 1);
    struct bridge_tensor *tensor = NULL;
    require_ok(check, bridge_guard_set(second));
    require_ok(check, assay_sample_empty(check, BRIDGE_FLOAT, 4, -1, &tensor));
    expect_on_device(check, tensor, second, "a factory without index uses the current device");
    bridge_tensor_free(tensor);
}

static void factory_with_index_keeps_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_tensor *tensor = NULL;
    require_ok(check, bridge_guard_set(first));
    require_ok(check, assay_sample_empty(check, BRIDGE_FLOAT, 4, second, &tensor));
    expect_on_device(check, tensor, second, "a factory with an index allocates on that device");
    expect_device(check, bridge_guard_current(), first, "the current device is unchanged");
    bridge_tensor_free(tensor);
}

static void factory_rejects_an_index_past_the_count(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_tensor *tensor = NULL;
    int32_t count = 0;
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_guard_count(&count));
    require_means(check, count < 128, "an index above the count exists");
    expect_refused_with(check, assay_sample_empty(check, BRIDGE_FLOAT, 4, count, &tensor), count,
                        "a factory refuses the first index that no device has");
    bridge_tensor_free(tensor);
    tensor = NULL;
    expect_device(check, bridge_guard_current(), device, "the current device is unchanged");
    expect_ok(check, assay_sample_empty(check, BRIDGE_FLOAT, 4, device, &tensor));
    bridge_tensor_free(tensor);
}

static void native_capability_query_rejects_a_bad_index(struct assay_check *check)
{
    uint64_t bits = 0;
    int32_t count = 0;
    require_capability(check, "device.capability",
                       bridge_guard_capability(assay_device(check, 0), &bits));
    require_ok(check, bridge_guard_count(&count));
    expect_refused_with(check, bridge_guard_capability(count, &bits), count,
                        "getDeviceCapability refuses the first index that no device has");
}

const struct assay_check_row placement_checks[] = {
    {"guard.factory_uses_the_current_device", factory_uses_the_current_device},
    {"guard.factory_with_index_keeps_the_current_device",
     factory_with_index_keeps_the_current_device},
    {"guard.factory_rejects_an_index_past_the_count", factory_rejects_an_index_past_the_count},
    {"guard.native_capability_query_rejects_a_bad_index",
     native_capability_query_rejects_a_bad_index},
    {0},
};
