/* SPDX-License-Identifier: BSD-3-Clause
 *
 * _C: exports device memory to another process, and opens exported memory as a byte tensor.
 *
 * Purpose: torch_fakedev/_sharing.py uses these functions for torch.multiprocessing.
 * Traps: memory of another process has no allocator, so its storage cannot be resized. Such memory
 * must be closed and not freed.
 */
#include "module.h"

#include <ATen/ops/from_blob.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>

#include <cstring>
#include <string>

namespace fakedev
{

namespace
{

pybind11::bytes export_memory(uintptr_t address)
{
    struct fd_ipc_handle handle;
    check_call(fd_ipc_export(reinterpret_cast<const void *>(address), &handle));
    return pybind11::bytes(reinterpret_cast<const char *>(handle.bytes), sizeof handle.bytes);
}

PyObject *open_memory(const std::string &bytes, int64_t size)
{
    struct fd_ipc_handle handle;
    int32_t device = 0;
    void *pointer = nullptr;
    HANDLE_TH_ERRORS
    TORCH_CHECK(bytes.size() == sizeof handle.bytes, "fakedev: this is no handle of memory");
    std::memcpy(handle.bytes, bytes.data(), sizeof handle.bytes);
    check_call(fd_ipc_open(&handle, &device, &pointer));
    const c10::Device place(c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(device));
    const auto close = [](void *opened) { (void)fd_ipc_close(opened); };
    return THPVariable_Wrap(
        at::from_blob(pointer, {size}, close, at::TensorOptions(place).dtype(at::kByte), place));
    END_HANDLE_TH_ERRORS
}

} // namespace

void bind_sharing(pybind11::module &module)
{
    module.def("export_memory", [](uintptr_t address) {
        HANDLE_TH_ERRORS
        return export_memory(address);
        END_HANDLE_TH_ERRORS_PYBIND
    });
    module.def("open_memory", [](const std::string &handle, int64_t size) {
        PyObject *tensor = open_memory(handle, size);
        if (!tensor)
            throw pybind11::error_already_set();
        return pybind11::reinterpret_steal<pybind11::object>(tensor);
    });
}

} // namespace fakedev
