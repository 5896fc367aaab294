/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests when memory is freed: with the last handle, only once, and also at the exit of the process.
 */
#include "instruments.h"
#include "sample.h"

#include <inttypes.h>

static const int64_t size = 4096;

/* Returns the number of live blocks that the driver counts. If the adapter does not offer this
 * number, returns the number of live bytes in the allocator's statistics. */
static uint64_t live(struct assay_check *check, int32_t device)
{
    struct bridge_memory_stats stats;
    void *target = NULL;
    uint64_t bytes = 0, blocks = 0;
    if (!check->host->extension(check, ASSAY_MEMORY_PROBE, &target) &&
        bridge_allocator_has_stats() == 1 && bridge_memory_get_stats(device, &stats) == ASSAY_OK &&
        stats.allocated_bytes_total > 0) {
        return (uint64_t)stats.allocated_bytes;
    }
    assay_live(check, device, &bytes, &blocks);
    return blocks;
}

static struct bridge_tensor *view_of(struct assay_check *check, const struct bridge_tensor *tensor)
{
    const int64_t sizes[] = {64, 64};
    const struct bridge_value values[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                          {.kind = BRIDGE_INTS, .ints = sizes, .count = 2}};
    struct bridge_tensor *view = NULL;
    require_op(check, "aten::view", bridge_call("aten::view", values, 2, &view));
    return view;
}

static struct bridge_tensor *made(struct assay_check *check, int32_t device)
{
    struct bridge_tensor *tensor = NULL;
    require_ok(check, assay_sample_empty(check, BRIDGE_FLOAT, size, device, &tensor));
    return tensor;
}

static void block_is_freed_with_its_last_handle(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    require_ok(check, bridge_guard_set(device));
    assay_need_any_size(check);              /* the view needs a storage of this size */
    bridge_tensor_free(made(check, device)); /* the statistics exist only after the first block */
    const uint64_t before = live(check, device);
    struct bridge_tensor *const tensor = made(check, device);
    const uint64_t held = live(check, device);
    expect_that(check, held > before, "a tensor allocates memory",
                "allocated bytes went from %" PRId64 " to %" PRId64, (int64_t)before,
                (int64_t)held);
    struct bridge_tensor *const view = view_of(check, tensor);
    expect_int(check, live(check, device), held, "a view allocates no memory");
    bridge_tensor_free(tensor);
    expect_int(check, live(check, device), held,
               "a view keeps the block alive after the tensor is freed");
    bridge_tensor_free(view);
    expect_int(check, live(check, device), before, "the block is freed with its last handle");
}

struct deletion {
    int32_t calls;
    void *data, *context;
};

static void note_deletion(void *data, void *context)
{
    struct deletion *const deletion = context;
    deletion->calls++;
    deletion->data = data;
    deletion->context = context;
}

/* PyTorch asks the hooks for the device of every address from which it creates a tensor. */
static void require_known_address(struct assay_check *check, const struct bridge_block *block)
{
    struct bridge_device owner = {0};
    require_capability(check, "memory.from_ptr", bridge_hooks_device_of(block->data, &owner));
}

static void from_blob_calls_its_deleter_once(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_block block = {0};
    struct bridge_tensor *tensor = NULL;
    struct deletion deletion = {0};
    assay_need_any_kind(check); /* the tensor below covers the bytes of the block */
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate((uint64_t)size, &block));
    require_known_address(check, &block);
    require_ok(check,
               bridge_shim_from_blob(block.data, size, device, note_deletion, &deletion, &tensor));
    struct bridge_tensor *const view = view_of(check, tensor);
    bridge_tensor_free(tensor);
    expect_int(check, deletion.calls, 0,
               "the deleter does not run before the last handle is freed");
    bridge_tensor_free(view);
    expect_int(check, deletion.calls, 1, "the deleter runs exactly once");
    expect_pointer(check, deletion.data, block.data, "the deleter gets the pointer of the block");
    expect_pointer(check, deletion.context, &deletion, "the deleter gets the context of the block");
    expect_ok(check, bridge_block_free(&block));
}

static void imported_memory_is_not_resizable(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_block block = {0};
    struct bridge_tensor *tensor = NULL;
    struct deletion deletion = {0};
    int32_t resizable = -1, has_allocator = -1;
    expect_that(check, bridge_storage_resizable_without_allocator() != ASSAY_OK,
                "a resizable storage needs an allocator",
                "c10::StorageImpl accepted a null allocator for a resizable storage");
    assay_need_any_kind(check); /* the tensor below covers the bytes of the block */
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate((uint64_t)size, &block));
    require_known_address(check, &block);
    require_ok(check,
               bridge_shim_from_blob(block.data, size, device, note_deletion, &deletion, &tensor));
    require_ok(check, bridge_tensor_resizable(tensor, &resizable, &has_allocator));
    expect_int(check, resizable, 0, "a storage over foreign memory is not resizable");
    expect_int(check, has_allocator, 0, "a storage over foreign memory has no allocator");
    bridge_tensor_free(tensor);
    expect_ok(check, bridge_block_free(&block));
}

static void free_at_end(void *context)
{
    bridge_tensor_free(context);
}

/* The contract entry has `exit: normal`, so a process that crashes or hangs while it exits gets the
 * verdict crash or timeout. */
static void tensors_can_outlive_the_backend(struct assay_check *check)
{
    struct bridge_tensor *tensor = NULL;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check,
               assay_sample_empty(check, BRIDGE_FLOAT, size, assay_device(check, 0), &tensor));
    require_ok(check, bridge_at_end(free_at_end, tensor));
}

const struct assay_check_row lifetime_checks[] = {
    {"allocator.block_is_freed_with_its_last_handle", block_is_freed_with_its_last_handle},
    {"allocator.from_blob_calls_its_deleter_once", from_blob_calls_its_deleter_once},
    {"allocator.imported_memory_is_not_resizable", imported_memory_is_not_resizable},
    {"allocator.tensors_can_outlive_the_backend", tensors_can_outlive_the_backend},
    {0},
};
