// SPDX-License-Identifier: BSD-3-Clause
//
// DLPack, from and to tensors. A Python capsule contains these structs.
#include "bridge_dlpack.h"
#include "bridge_internal.h"

#include <ATen/DLConvertor.h>

#include <cstddef>

#define SAME_PLACE(ours, member, theirs, other)                                                    \
    static_assert(offsetof(ours, member) == offsetof(theirs, other))

static_assert(kDLExtDev == BRIDGE_DL_EXTENSION_DEVICE);
static_assert(sizeof(bridge_dl_tensor) == sizeof(DLTensor));
static_assert(sizeof(bridge_dl_managed) == sizeof(DLManagedTensor));
static_assert(sizeof(bridge_dl_versioned) == sizeof(DLManagedTensorVersioned));
SAME_PLACE(bridge_dl_tensor, device_type, DLTensor, device.device_type);
SAME_PLACE(bridge_dl_tensor, device_id, DLTensor, device.device_id);
SAME_PLACE(bridge_dl_tensor, dim, DLTensor, ndim);
SAME_PLACE(bridge_dl_tensor, code, DLTensor, dtype.code);
SAME_PLACE(bridge_dl_tensor, bits, DLTensor, dtype.bits);
SAME_PLACE(bridge_dl_tensor, lanes, DLTensor, dtype.lanes);
SAME_PLACE(bridge_dl_tensor, sizes, DLTensor, shape);
SAME_PLACE(bridge_dl_tensor, strides, DLTensor, strides);
SAME_PLACE(bridge_dl_tensor, byte_offset, DLTensor, byte_offset);
SAME_PLACE(bridge_dl_managed, context, DLManagedTensor, manager_ctx);
SAME_PLACE(bridge_dl_managed, deleter, DLManagedTensor, deleter);
SAME_PLACE(bridge_dl_versioned, context, DLManagedTensorVersioned, manager_ctx);
SAME_PLACE(bridge_dl_versioned, deleter, DLManagedTensorVersioned, deleter);
SAME_PLACE(bridge_dl_versioned, flags, DLManagedTensorVersioned, flags);
SAME_PLACE(bridge_dl_versioned, tensor, DLManagedTensorVersioned, dl_tensor);

int32_t bridge_dlpack_export(const struct bridge_tensor *tensor, struct bridge_dl_managed **managed)
{
    return bridge::guarded(
        [&] { *managed = reinterpret_cast<bridge_dl_managed *>(at::toDLPack(tensor->value)); });
}

int32_t bridge_dlpack_export_versioned(const struct bridge_tensor *tensor,
                                       struct bridge_dl_versioned **managed)
{
    return bridge::guarded([&] {
        *managed = reinterpret_cast<bridge_dl_versioned *>(at::toDLPackVersioned(tensor->value));
    });
}

int32_t bridge_dlpack_import(struct bridge_dl_managed *managed, struct bridge_tensor **tensor)
{
    return bridge::guarded([&] {
        auto *const theirs = reinterpret_cast<DLManagedTensor *>(managed);
        *tensor = new bridge_tensor{at::fromDLPack(theirs)};
    });
}

int32_t bridge_dlpack_import_versioned(struct bridge_dl_versioned *managed,
                                       struct bridge_tensor **tensor)
{
    return bridge::guarded([&] {
        auto *const theirs = reinterpret_cast<DLManagedTensorVersioned *>(managed);
        *tensor = new bridge_tensor{at::fromDLPackVersioned(theirs)};
    });
}
