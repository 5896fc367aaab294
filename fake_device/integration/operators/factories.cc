/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Factories: empty.memory_format and empty_strided.
 *
 * Purpose: every other factory (zeros, ones, full, rand, arange, tensor, empty_like, clone, new_*,
 * ...) and every functional operator creates its result with one of these two factories.
 * If this file is removed, no tensor can be created on the device.
 * Traps: use the index of the requested device (not of the current one), the default dtype, and the
 * right storage size for unusual strides. Check the flags that core passes unchecked (layout,
 * pin_memory).
 * Serves: OPS-001 to OPS-006, OPS-068, STOR-003, ALLOC-029, DEV-030.
 */
#include <ATen/EmptyTensor.h>
#include <ATen/native/TensorFactories.h>
#include <c10/core/TensorOptions.h>
#include <torch/library.h>

#include "device_index.h"
#include "fakedev.h"

namespace fakedev
{
namespace
{

constexpr c10::DispatchKeySet key_set(c10::DispatchKey::PrivateUse1);

/* The device of a new tensor. Throws for options that a dense device tensor cannot have. */
c10::DeviceIndex device_for(std::optional<at::Layout> layout, std::optional<at::Device> device,
                            std::optional<bool> pin_memory)
{
    const at::Device wanted = c10::device_or_default(device);
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == at::kStrided,
                                "fakedev: empty takes only the strided layout, got ", *layout);
    TORCH_CHECK(!c10::pinned_memory_or_default(pin_memory),
                "Only dense CPU tensors can be pinned, not tensors on ", wanted);
    TORCH_CHECK(wanted.is_privateuseone(), "fakedev: cannot make a tensor on ", wanted);
    return resolve_device(wanted.index(), "empty");
}

at::Tensor finish(at::Tensor tensor)
{
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_empty_deterministic_(tensor);
    return tensor;
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format)
{
    const DeviceScope scope(device_for(layout, device, pin_memory));
    return finish(at::detail::empty_generic(size, c10::GetAllocator(c10::kPrivateUse1), key_set,
                                            c10::dtype_or_default(dtype), memory_format));
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory)
{
    const DeviceScope scope(device_for(layout, device, pin_memory));
    c10::Allocator *allocator = c10::GetAllocator(c10::kPrivateUse1);
    return finish(at::detail::empty_strided_generic(size, stride, allocator, key_set,
                                                    c10::dtype_or_default(dtype)));
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", TORCH_FN(empty));
    m.impl("empty_strided", TORCH_FN(empty_strided));
}

} // namespace fakedev
