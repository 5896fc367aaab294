/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests two ways to create a storage: by the backend's factory, which is registered once, and from
 * an address, for which the hooks report the device.
 */
#include "expect.h"
#include "sample.h"

static const int64_t size = 64;

static void second_storage_factory_is_rejected(struct assay_check *check)
{
    const int32_t again = bridge_storage_factory_again(assay_device(check, 0));
    if (again == ASSAY_EUNSUPPORTED)
        assay_skip(check, "storage.custom", bridge_error_text());
    expect_refused(check, again, "a second SetStorageImplCreate is refused");
    expect_refused(check, bridge_storage_factory_again(BRIDGE_CPU),
                   "SetStorageImplCreate is refused for another device type");
}

/* Returns a block of the last device, and makes the first device current. */
static struct bridge_block foreign_block(struct assay_check *check, int32_t last)
{
    struct bridge_block block = {0};
    struct bridge_device owner = {0};
    assay_need_any_kind(check); /* the tensor below covers the bytes of the block */
    require_ok(check, bridge_guard_set(last));
    require_ok(check, bridge_allocate((uint64_t)size, &block));
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_capability(check, "memory.from_ptr", bridge_hooks_device_of(block.data, &owner));
    return block;
}

static void note_deletion(void *data, void *context)
{
    (void)data;
    ++*(int32_t *)context;
}

static void from_blob_finds_the_device_of_an_address(struct assay_check *check)
{
    const int32_t last = assay_device(check, 1);
    struct bridge_block block = foreign_block(check, last);
    struct bridge_tensor *tensor = NULL;
    struct bridge_tensor_facts facts = {0};
    int32_t deletions = 0;
    require_ok(check,
               bridge_shim_from_blob(block.data, size, -1, note_deletion, &deletions, &tensor));
    require_ok(check, bridge_tensor_describe(tensor, &facts));
    expect_int(check, facts.device, last, "a tensor from an address is on the owner's device");
    expect_int(check, facts.storage_device, last,
               "the storage from an address is on the owner's device");
    expect_pointer(check, facts.data, block.data, "a tensor from an address has that address");
    bridge_tensor_free(tensor);
    expect_int(check, deletions, 1, "the memory of an address is freed once");
    expect_ok(check, bridge_block_free(&block));
}

static void from_blob_rejects_an_address_of_another_device(struct assay_check *check)
{
    struct bridge_block block = foreign_block(check, assay_device(check, 1));
    struct bridge_tensor *tensor = NULL;
    int32_t deletions = 0;
    expect_refused(check,
                   bridge_shim_from_blob(block.data, size, assay_device(check, 0), note_deletion,
                                         &deletions, &tensor),
                   "an address of one device is refused for another device");
    expect_ok(check, bridge_block_free(&block));
}

const struct assay_check_row storage_making_checks[] = {
    {"storage.second_storage_factory_is_rejected", second_storage_factory_is_rejected},
    {"storage.from_blob_finds_the_device_of_an_address", from_blob_finds_the_device_of_an_address},
    {"storage.from_blob_rejects_an_address_of_another_device",
     from_blob_rejects_an_address_of_another_device},
    {0},
};
