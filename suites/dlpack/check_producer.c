/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A C library outside PyTorch exports device memory: through DLPack's structs, or through PyTorch's
 * own C interface.
 */
#include "bridge_dlpack.h"
#include "sample.h"
#include "tensor_device.h"

#include <string.h>

enum { BYTES = 24 };

/* The clauses that apply to one way of exporting memory. */
struct way {
    const char *place, *sharing, *returning;
};
static const struct way by_capsule = {"DLPK-002", "DLPK-003", "DLPK-004"},
                        in_c = {"DLPK-016", "DLPK-016", "DLPK-016"};

struct lender {
    struct way way;
    struct bridge_block block;
    int32_t returned; /* number of times that the deleter ran */
    int64_t sizes[2], strides[2];
};

static void take_back(struct bridge_dl_managed *self)
{
    ((struct lender *)self->context)->returned++;
}

static void take_back_versioned(struct bridge_dl_versioned *self)
{
    ((struct lender *)self->context)->returned++;
}

static void lend(struct assay_check *check, int32_t device, struct lender *lender)
{
    uint8_t bytes[BYTES];
    *lender = (struct lender){.way = by_capsule, .sizes = {4, 6}, .strides = {6, 1}};
    for (uint8_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(1 + i);
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(BYTES, &lender->block));
    require_op(check, "aten::_copy_from", bridge_write(lender->block.data, device, bytes, BYTES));
}

static struct bridge_dl_tensor lent(struct lender *lender, int32_t device)
{
    return (struct bridge_dl_tensor){.data = lender->block.data,
                                     .device_type = BRIDGE_DL_EXTENSION_DEVICE,
                                     .device_id = device,
                                     .dim = 2,
                                     .code = 1,
                                     .bits = 8,
                                     .lanes = 1,
                                     .sizes = lender->sizes,
                                     .strides = lender->strides};
}

static struct bridge_dl_managed managed_by(struct lender *lender, int32_t device)
{
    return (struct bridge_dl_managed){
        .tensor = lent(lender, device), .context = lender, .deleter = take_back};
}

static struct bridge_dl_versioned versioned_by(struct lender *lender, int32_t device)
{
    return (struct bridge_dl_versioned){.major = 1,
                                        .tensor = lent(lender, device),
                                        .context = lender,
                                        .deleter = take_back_versioned};
}

static void fill(struct assay_check *check, const struct bridge_tensor *tensor, int64_t value)
{
    const struct bridge_value values[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                          {.kind = BRIDGE_INT, .integer = value}};
    require_op(check, "aten::fill_.Scalar", bridge_call("aten::fill_.Scalar", values, 2, NULL));
}

static void expect_shared(struct assay_check *check, struct lender *lender,
                          const struct bridge_tensor *taken, int32_t device)
{
    struct bridge_tensor_facts facts = {0};
    uint8_t seen[BYTES] = {0}, expected[BYTES];
    require_ok(check, bridge_tensor_describe(taken, &facts));
    assay_is_about_clause(check, lender->way.place);
    expect_on_device(check, taken, device, "an imported tensor is on the device of its producer");
    assay_is_about_clause(check, lender->way.sharing);
    expect_pointer(check, facts.data, lender->block.data,
                   "an imported tensor has the data pointer of its producer");
    for (uint8_t i = 0; i < BYTES; i++)
        expected[i] = (uint8_t)(1 + i);
    require_op(check, "aten::_copy_from", bridge_tensor_read(taken, seen, BYTES));
    expect_bytes(check, seen, expected, BYTES, "an imported tensor has the values of its producer");
    fill(check, taken, 77);
    memset(expected, 77, BYTES);
    require_op(check, "aten::_copy_from", bridge_read(lender->block.data, device, seen, BYTES));
    expect_bytes(check, seen, expected, BYTES,
                 "a write to an imported tensor changes the producer's memory");
}

/* Returns a view of the whole tensor. The view keeps the memory alive, as the tensor does. */
static struct bridge_tensor *flat(struct assay_check *check, const struct bridge_tensor *tensor)
{
    const int64_t size = BYTES;
    const struct bridge_value values[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                          {.kind = BRIDGE_INTS, .ints = &size, .count = 1}};
    struct bridge_tensor *view = NULL;
    require_op(check, "aten::view", bridge_call("aten::view", values, 2, &view));
    return view;
}

static void expect_returned_once(struct assay_check *check, struct lender *lender,
                                 struct bridge_tensor *taken)
{
    struct bridge_tensor *const view = flat(check, taken);
    assay_is_about_clause(check, lender->way.returning);
    expect_int(check, lender->returned, 0, "the deleter does not run while the tensor is alive");
    bridge_tensor_free(taken);
    expect_int(check, lender->returned, 0,
               "the deleter does not run before the last view is freed");
    bridge_tensor_free(view);
    expect_int(check, lender->returned, 1, "the deleter runs once, when the last view is freed");
}

static void imported_memory_is_shared_and_released(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    struct bridge_tensor *taken = NULL;
    struct lender lender;
    assay_need_any_kind(check);
    assay_need_storage(ASSAY_LINE(check));
    lend(check, device, &lender);
    struct bridge_dl_managed plain = managed_by(&lender, device);
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_dlpack_import(&plain, &taken));
    expect_shared(check, &lender, taken, device);
    expect_returned_once(check, &lender, taken);
    expect_ok(check, bridge_block_free(&lender.block));

    lend(check, device, &lender);
    struct bridge_dl_versioned versioned = versioned_by(&lender, device);
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_dlpack_import_versioned(&versioned, &taken));
    expect_shared(check, &lender, taken, device);
    expect_returned_once(check, &lender, taken);
    expect_ok(check, bridge_block_free(&lender.block));
}

static void take_back_from_c(void *data, void *context)
{
    (void)data;
    ((struct lender *)context)->returned++;
}

/* Uses PyTorch's C interface. The tensors have one dimension. */
static void memory_imported_from_c_is_shared_and_released(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    struct bridge_tensor *taken = NULL;
    struct lender lender;
    assay_need_any_kind(check);
    assay_need_storage(ASSAY_LINE(check));
    lend(check, device, &lender);
    lender.way = in_c;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_shim_from_blob(lender.block.data, BYTES, device, take_back_from_c,
                                            &lender, &taken));
    expect_shared(check, &lender, taken, device);
    expect_returned_once(check, &lender, taken);
    expect_ok(check, bridge_block_free(&lender.block));
}

/* Imports capsules without strides, without elements, and without dims. */
static void capsules_of_any_shape_can_be_imported(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_tensor *taken = NULL;
    struct bridge_tensor_facts facts = {0};
    struct lender lender;
    assay_need_any_kind(check);
    assay_need_storage(ASSAY_LINE(check));
    lend(check, device, &lender);
    struct bridge_dl_managed managed = managed_by(&lender, device);
    managed.tensor.strides = NULL;
    require_ok(check, bridge_dlpack_import(&managed, &taken));
    require_ok(check, bridge_tensor_describe(taken, &facts));
    expect_int(check, facts.contiguous, 1, "a capsule without strides is contiguous");
    expect_shared(check, &lender, taken, device);
    bridge_tensor_free(taken);
    managed = managed_by(&lender, device);
    managed.tensor.dim = 0;
    require_ok(check, bridge_dlpack_import(&managed, &taken));
    require_ok(check, bridge_tensor_describe(taken, &facts));
    expect_int(check, facts.elements, 1, "a capsule without dims is a zero-dimensional tensor");
    bridge_tensor_free(taken);
    managed = managed_by(&lender, device);
    lender.sizes[0] = 0;
    managed.tensor.data = NULL;
    require_ok(check, bridge_dlpack_import(&managed, &taken));
    expect_on_device(check, taken, device, "a capsule without elements has its device");
    bridge_tensor_free(taken);
    assay_is_about_clause(check, "DLPK-004");
    expect_int(check, lender.returned, 3, "each capsule is returned once, in every form");
    expect_ok(check, bridge_block_free(&lender.block));
}

/* PyTorch accepts any index. The backend must refuse a device that does not exist. */
static void capsule_of_a_missing_device_is_rejected(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_tensor *taken = NULL;
    struct lender lender;
    assay_need_any_kind(check);
    assay_need_storage(ASSAY_LINE(check));
    lend(check, device, &lender);
    struct bridge_dl_managed managed = managed_by(&lender, 100);
    if (bridge_dlpack_import(&managed, &taken) == ASSAY_OK) {
        const struct bridge_value values[] = {{.kind = BRIDGE_TENSOR, .tensor = taken},
                                              {.kind = BRIDGE_INT, .integer = 5}};
        expect_that(check, bridge_call("aten::fill_.Scalar", values, 2, NULL) != ASSAY_OK,
                    "a tensor of a device that does not exist is refused at its first use",
                    "aten::fill_ of it raised nothing");
        bridge_tensor_free(taken);
    }
    expect_ok(check, bridge_block_free(&lender.block));
}

const struct assay_check_row producer_checks[] = {
    {"dlpack.imported_memory_is_shared_and_released", imported_memory_is_shared_and_released},
    {"dlpack.memory_imported_from_c_is_shared_and_released",
     memory_imported_from_c_is_shared_and_released},
    {"dlpack.capsules_of_any_shape_can_be_imported", capsules_of_any_shape_can_be_imported},
    {"dlpack.capsule_of_a_missing_device_is_rejected", capsule_of_a_missing_device_is_rejected},
    {0},
};
