/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A C library outside PyTorch consumes tensors of the device through DLPack's structs.
 */
#include "bounded.h"
#include "bridge_dlpack.h"
#include "instruments.h"
#include "sample.h"
#include "tensor_device.h"

#include <string.h>

enum { ELEMENTS = 24, OTHERS = 8 };

struct layout {
    int32_t dim;
    int64_t sizes[3], strides[3], offset;
};

static const struct layout layouts[] = {
    {1, {24}, {1}, 0},
    {2, {4, 6}, {6, 1}, 0},
    {2, {6, 4}, {1, 6}, 0},  /* transposed */
    {2, {2, 3}, {12, 2}, 7}, /* parts of rows, with an offset */
    {3, {2, 2, 3}, {12, 6, 1}, 3},
    {2, {5, 4}, {0, 1}, 4}, /* expanded */
    {1, {0}, {1}, 0},       /* no elements */
    {2, {3, 0}, {1, 1}, 0},
    {0, {0}, {0}, 5}, /* zero dimensions */
};

/* If `offset` is BRIDGE_NONE, the view starts at the first element of its base. */
static struct bridge_tensor *view_of(struct assay_check *check, const struct bridge_tensor *tensor,
                                     const struct layout *layout, int32_t offset)
{
    const struct bridge_value values[] = {
        {.kind = BRIDGE_TENSOR, .tensor = tensor},
        {.kind = BRIDGE_INTS, .ints = layout->sizes, .count = layout->dim},
        {.kind = BRIDGE_INTS, .ints = layout->strides, .count = layout->dim},
        {.kind = offset, .integer = layout->offset}};
    struct bridge_tensor *view = NULL;
    require_op(check, "aten::as_strided", bridge_call("aten::as_strided", values, 4, &view));
    return view;
}

/* Returns a view of the elements of `base` from the offset on. */
static struct bridge_tensor *laid_out(struct assay_check *check, const struct bridge_tensor *base,
                                      const struct layout *layout)
{
    const struct layout rest = {1, {ELEMENTS - layout->offset}, {1}, layout->offset};
    struct bridge_tensor *const part = view_of(check, base, &rest, BRIDGE_INT);
    struct bridge_tensor *const view = view_of(check, part, layout, BRIDGE_NONE);
    bridge_tensor_free(part);
    return view;
}

static int64_t elements_of(const struct layout *layout)
{
    int64_t all = 1;
    for (int32_t i = 0; i < layout->dim; i++)
        all *= layout->sizes[i];
    return all;
}

static void expect_layout(struct assay_check *check, const struct bridge_dl_tensor *seen,
                          const struct layout *layout)
{
    expect_int(check, seen->dim, layout->dim, "a capsule has the dims of its tensor");
    for (int32_t i = 0; i < layout->dim && i < seen->dim; i++) {
        expect_int(check, seen->sizes[i], layout->sizes[i],
                   "a capsule has the sizes of its tensor");
        /* PyTorch may export another stride if no element uses it (size 0 or 1). */
        if (seen->strides && layout->sizes[i] > 1 && elements_of(layout) > 0)
            expect_int(check, seen->strides[i], layout->strides[i],
                       "a capsule has the strides of its tensor, in elements");
    }
}

static void expect_place(struct assay_check *check, const struct bridge_dl_tensor *seen,
                         int32_t device)
{
    assay_is_about_clause(check, "DLPK-001");
    expect_int(check, seen->device_type, BRIDGE_DL_EXTENSION_DEVICE,
               "a capsule has the device type kDLExtDev");
    expect_int(check, seen->device_id, device, "a capsule has the index of its device");
}

static void expect_read(struct assay_check *check, const struct bridge_dl_tensor *seen,
                        const struct layout *layout, const struct bridge_tensor_facts *base,
                        int32_t device)
{
    expect_place(check, seen, device);
    assay_is_about_clause(check, "DLPK-005");
    expect_layout(check, seen, layout);
    expect_int(check, seen->byte_offset, 0, "the byte_offset of a capsule is 0");
    if (elements_of(layout) > 0)
        expect_pointer(
            check, seen->data, (const char *)base->data + 4 * layout->offset,
            "the data pointer of a capsule is the address of the tensor, including its offset");
    expect_int(check, seen->code, 2, "the dtype of float32 has the code of a float");
    expect_int(check, seen->bits, 32, "the dtype of float32 has 32 bits");
    expect_int(check, seen->lanes, 1, "the dtype of float32 has one lane");
}

static void read_both_forms(struct assay_check *check, const struct bridge_tensor *base,
                            const struct layout *layout, int32_t device)
{
    struct bridge_tensor_facts facts = {0}, made = {0};
    struct bridge_tensor *const view = laid_out(check, base, layout);
    struct bridge_dl_managed *plain = NULL;
    struct bridge_dl_versioned *versioned = NULL;
    require_ok(check, bridge_tensor_describe(base, &facts));
    require_ok(check, bridge_tensor_describe(view, &made));
    assay_is_about_clause(check, "DLPK-005");
    if (elements_of(layout) > 0)
        expect_pointer(check, made.data, (const char *)facts.data + 4 * layout->offset,
                       "a view has the address of its base plus its offset");
    require_ok(check, bridge_dlpack_export(view, &plain));
    expect_read(check, &plain->tensor, layout, &facts, device);
    plain->deleter(plain);
    require_ok(check, bridge_dlpack_export_versioned(view, &versioned));
    expect_read(check, &versioned->tensor, layout, &facts, device);
    assay_is_about_clause(check, "DLPK-010");
    expect_int(check, versioned->major, 1, "a versioned capsule has the major version 1");
    expect_int(check, versioned->flags, 0, "a capsule of shared, writable memory has no flags");
    versioned->deleter(versioned);
    bridge_tensor_free(view);
}

static void capsule_describes_the_exported_tensor(struct assay_check *check)
{
    const int64_t size = ELEMENTS;
    struct bridge_tensor *base = NULL;
    assay_need_any_kind(check);
    assay_need_storage(ASSAY_LINE(check));
    for (uint32_t i = 0; i < check->device_count; i++) {
        require_ok(check,
                   bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, assay_device(check, i), &base));
        for (size_t one = 0; one < sizeof layouts / sizeof *layouts; one++)
            read_both_forms(check, base, &layouts[one], assay_device(check, i));
        bridge_tensor_free(base);
    }
}

/* ---- lifetime ------------------------------------------------------------------------------------------------- */

struct consumer {
    struct assay_check *check;
    struct bridge_dl_managed *managed;
    int32_t device, current;
    uint8_t seen[ELEMENTS];
};

/* Runs on a thread on which another device is current. Consumes the tensor after its producer has
 * freed it. */
static void take_and_drop(void *context)
{
    struct consumer *const consumer = context;
    struct assay_check *const check = consumer->check;
    struct bridge_tensor *taken = NULL;
    if (!expect_ok(check, bridge_guard_set(consumer->current)) ||
        !expect_ok(check, bridge_dlpack_import(consumer->managed, &taken)))
        return;
    expect_ok(check, bridge_tensor_read(taken, consumer->seen, ELEMENTS));
    bridge_tensor_free(taken);
    expect_device(check, bridge_guard_current(), consumer->current,
                  "dropping a capsule does not change the current device");
}

static struct bridge_tensor *filled(struct assay_check *check, uint8_t first, int32_t device)
{
    const int64_t size = ELEMENTS;
    uint8_t bytes[ELEMENTS];
    struct bridge_tensor *here = NULL, *there = NULL;
    for (uint8_t i = 0; i < ELEMENTS; i++)
        bytes[i] = (uint8_t)(first + i);
    require_ok(check, bridge_tensor_from_bytes(bytes, ELEMENTS, &size, 1, BRIDGE_UINT8, &here));
    require_op(check, "aten::_copy_from", bridge_tensor_to(here, device, &there));
    bridge_tensor_free(here);
    return there;
}

/* Allocates blocks. If memory was freed too early, one of these blocks reuses it. */
static void fill_others(struct assay_check *check, int32_t device, struct bridge_tensor **others)
{
    for (uint8_t i = 0; i < OTHERS; i++)
        others[i] = filled(check, (uint8_t)(100 + i), device);
}

/* Returns the bytes in use, or 0 if the backend has no statistics. */
static int64_t in_use(int32_t device)
{
    struct bridge_memory_stats stats = {0};
    if (bridge_allocator_has_stats() != 1 || bridge_memory_get_stats(device, &stats) != ASSAY_OK)
        return 0;
    return (int64_t)stats.allocated_bytes;
}

/* Returns whether creating and freeing a tensor leaves the statistics unchanged. If this leaves the
 * statistics unchanged, consuming a tensor on another thread must also leave them unchanged. */
static int is_counted(struct assay_check *check, int32_t device)
{
    const int64_t before = in_use(device);
    bridge_tensor_free(filled(check, 1, device));
    return in_use(device) == before;
}

static void consume_elsewhere(struct assay_check *check, int32_t device, int32_t current)
{
    struct consumer consumer = {.check = check, .device = device, .current = current};
    struct bridge_tensor *others[OTHERS];
    uint8_t expected[ELEMENTS];
    for (uint8_t i = 0; i < ELEMENTS; i++)
        expected[i] = (uint8_t)(1 + i);
    struct bridge_tensor *const made = filled(check, 1, device);
    require_ok(check, bridge_dlpack_export(made, &consumer.managed));
    bridge_tensor_free(made);
    fill_others(check, device, others);
    assay_on_thread(check, take_and_drop, &consumer, "a thread that consumes a capsule returns");
    expect_bytes(check, consumer.seen, expected, ELEMENTS,
                 "exported memory is not reused until its consumer drops it");
    for (size_t i = 0; i < OTHERS; i++)
        bridge_tensor_free(others[i]);
}

static void exported_memory_lives_until_the_deleter_runs(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0);
    const int32_t last = assay_device(check, check->device_count - 1);
    assay_need_any_kind(check);
    assay_need_storage(ASSAY_LINE(check));
    require_ok(check, bridge_guard_set(first));
    /* this call allocates the memory that stays allocated, before the measurement begins */
    consume_elsewhere(check, first, last);
    consume_elsewhere(check, last, first);
    const int counted = is_counted(check, last);
    const int64_t before = in_use(last);
    consume_elsewhere(check, last, first);
    if (counted)
        expect_int(check, in_use(last), before,
                   "exported memory is freed when its consumer drops it");
    expect_device(
        check, bridge_guard_current(), first,
        "capsules that other threads consume do not change the current device of this thread");
}

const struct assay_check_row consumer_checks[] = {
    {"dlpack.capsule_describes_the_exported_tensor", capsule_describes_the_exported_tensor},
    {"dlpack.exported_memory_lives_until_the_deleter_runs",
     exported_memory_lives_until_the_deleter_runs},
    {0},
};
