/* SPDX-License-Identifier: BSD-3-Clause
 *
 * If a backend cannot find the device of an address, it must refuse the query, because PyTorch
 * makes a tensor on the returned device. A returned device without an index suggests that the
 * function is only a stub.
 */
#include "expect.h"
#include "sample.h"

static const int64_t size = 64;

static void note_deletion(void *data, void *context)
{
    (void)data;
    ++*(int32_t *)context;
}

static void expect_refusal(struct assay_check *check, void *data)
{
    struct bridge_device owner = {0};
    struct bridge_tensor *tensor = NULL;
    int32_t deletions = 0;
    expect_absent(check, bridge_hooks_device_of(data, &owner),
                  "getDeviceFromPtr refuses with an ordinary error");
    expect_absent(check, bridge_shim_from_blob(data, size, -1, note_deletion, &deletions, &tensor),
                  "no tensor is created from the address");
    expect_int(check, deletions, 0, "the memory of a refused address is not freed");
}

static void require_tensor_of_owner(struct assay_check *check, void *data, int32_t owner)
{
    struct bridge_tensor *tensor = NULL;
    struct bridge_tensor_facts facts = {0};
    int32_t deletions = 0;
    require_ok(check, bridge_shim_from_blob(data, size, -1, note_deletion, &deletions, &tensor));
    require_ok(check, bridge_tensor_describe(tensor, &facts));
    require_int(check, facts.device, owner,
                "a tensor from an address is on a device with an index");
    require_int(check, facts.storage_device, owner,
                "the storage is on the device that owns the address");
    bridge_tensor_free(tensor);
}

static void missing_get_device_from_ptr_raises(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_block block = {0};
    struct bridge_device owner = {0};
    uint8_t here[64];
    require_ok(check, bridge_guard_set(device));
    if (!bridge_allocator_identity()) {
        /* if no allocator is registered, no address belongs to the device */
        expect_refusal(check, here);
        return;
    }
    assay_need_any_kind(check); /* the tensor below covers the bytes of the block */
    require_ok(check, bridge_allocate((uint64_t)size, &block));
    const int32_t refused = bridge_hooks_device_of(block.data, &owner);
    if (refused)
        expect_refusal(check, block.data);
    else
        require_tensor_of_owner(check, block.data, device);
    expect_ok(check, bridge_block_free(&block));
    if (!refused)
        assay_have_all_the_same(check, "memory.from_ptr", "the device of an address is found");
}

const struct assay_check_row guard_addresses_checks[] = {
    {"guard.missing_get_device_from_ptr_raises", missing_get_device_from_ptr_raises},
    {0},
};
