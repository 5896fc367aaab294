// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's stable C interface, as far as it reaches the backend's guard and allocator. This
// interface reports only that a call failed; the exception is lost.
#include "bridge_internal.h"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/c/shim.h>

struct bridge_shim_guard {
    DeviceGuardHandle handle;
};

namespace
{

int32_t status_of(AOTITorchError error, const char *text)
{
    return error == AOTI_TORCH_SUCCESS ? ASSAY_OK : bridge::refuse(ASSAY_EFAILED, text);
}

} // namespace

int32_t bridge_shim_guard_create(int32_t device, struct bridge_shim_guard **guard)
{
    DeviceGuardHandle handle = nullptr;
    const int32_t status = status_of(aoti_torch_create_device_guard(device, &handle),
                                     "aoti_torch_create_device_guard failed");
    if (status == ASSAY_OK)
        *guard = new bridge_shim_guard{handle};
    return status;
}

int32_t bridge_shim_guard_set_index(struct bridge_shim_guard *guard, int32_t device)
{
    return status_of(aoti_torch_device_guard_set_index(guard->handle, device),
                     "aoti_torch_device_guard_set_index failed");
}

int32_t bridge_shim_guard_delete(struct bridge_shim_guard *guard)
{
    const int32_t status = status_of(aoti_torch_delete_device_guard(guard->handle),
                                     "aoti_torch_delete_device_guard failed");
    delete guard;
    return status;
}

int32_t bridge_shim_from_blob(void *data, int64_t size, int32_t device,
                              void (*deleter)(void *data, void *context), void *context,
                              struct bridge_tensor **tensor)
{
    const int64_t stride = 1;
    AtenTensorHandle handle = nullptr;
    const int32_t status =
        status_of(torch_from_blob(data, 1, &size, &stride, 0, aoti_torch_dtype_uint8(),
                                  aoti_torch_device_type_privateuse1(), device, &handle,
                                  aoti_torch_layout_strided(), nullptr, 0, deleter, context),
                  "torch_from_blob failed");
    if (status == ASSAY_OK) {
        // The handle is a pointer to an at::Tensor; the interface documents this for all its
        // handles.
        *tensor = new bridge_tensor{*reinterpret_cast<at::Tensor *>(handle)};
        aoti_torch_delete_tensor_object(handle);
    }
    return status;
}
