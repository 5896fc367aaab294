/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the allocator through tensors: empty tensors, and views of one storage.
 */
#include "sample.h"
#include "tensor_device.h"

#include <stdint.h>

static void empty_tensor_has_no_memory(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    const int64_t sizes[] = {0, 3};
    struct bridge_tensor *tensor = NULL;
    struct bridge_tensor_facts facts = {0};
    assay_need_storage(ASSAY_LINE(check));
    assay_need_any_kind(check); /* a tensor without elements */
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_tensor_empty(sizes, 2, BRIDGE_FLOAT, -1, &tensor));
    require_ok(check, bridge_tensor_describe(tensor, &facts));
    expect_pointer(check, facts.data, NULL, "an empty tensor's data_ptr() is 0");
    expect_pointer(check, facts.storage_data, NULL,
                   "the data pointer of the storage of an empty tensor is NULL");
    expect_int(check, facts.storage_bytes, 0, "an empty tensor's storage has no bytes");
    expect_int(check, facts.device, device, "an empty tensor has the index of its device");
    bridge_tensor_free(tensor);
}

static struct bridge_tensor *call(struct assay_check *check, const char *op,
                                  const struct bridge_value *values, int32_t count)
{
    struct bridge_tensor *result = NULL;
    require_op(check, op, bridge_call(op, values, count, &result));
    return result;
}

static void expect_view(struct assay_check *check, const struct bridge_tensor *view,
                        const struct bridge_tensor *base, int64_t offset)
{
    struct bridge_tensor_facts one = {0}, all = {0};
    require_ok(check, bridge_tensor_describe(view, &one));
    require_ok(check, bridge_tensor_describe(base, &all));
    expect_pointer(check, one.storage, all.storage, "a view shares the storage of its base");
    expect_int(check, one.storage_offset, offset, "a view has the right storage offset");
    expect_int(check, (intptr_t)one.data - (intptr_t)all.data, offset * (int64_t)sizeof(float),
               "a view's data_ptr() is its base's plus offset * itemsize");
}

static void view_address_is_base_plus_offset(struct assay_check *check)
{
    const int64_t size = 24, rows[] = {3, 4};
    struct bridge_tensor *base = NULL;
    assay_need_storage(ASSAY_LINE(check));
    assay_need_any_kind(check); /* the views below have other sizes */
    require_ok(check, bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, assay_device(check, 0), &base));
    const struct bridge_value narrow[] = {{.kind = BRIDGE_TENSOR, .tensor = base},
                                          {.kind = BRIDGE_INT, .integer = 0},
                                          {.kind = BRIDGE_INT, .integer = 5},
                                          {.kind = BRIDGE_INT, .integer = 12}};
    struct bridge_tensor *const part = call(check, "aten::narrow", narrow, 4);
    expect_view(check, part, base, 5);
    const struct bridge_value view[] = {{.kind = BRIDGE_TENSOR, .tensor = part},
                                        {.kind = BRIDGE_INTS, .ints = rows, .count = 2}};
    struct bridge_tensor *const matrix = call(check, "aten::view", view, 2);
    expect_view(check, matrix, base, 5);
    const struct bridge_value select[] = {{.kind = BRIDGE_TENSOR, .tensor = matrix},
                                          {.kind = BRIDGE_INT, .integer = 0},
                                          {.kind = BRIDGE_INT, .integer = 2}};
    struct bridge_tensor *const row = call(check, "aten::select.int", select, 3);
    expect_view(check, row, base, 13);
    bridge_tensor_free(row);
    bridge_tensor_free(matrix);
    bridge_tensor_free(part);
    bridge_tensor_free(base);
}

const struct assay_check_row tensor_memory_checks[] = {
    {"allocator.empty_tensor_has_no_memory", empty_tensor_has_no_memory},
    {"allocator.view_address_is_base_plus_offset", view_address_is_base_plus_offset},
    {0},
};
