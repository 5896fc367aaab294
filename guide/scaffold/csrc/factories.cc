/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors: empty and empty_strided, which every other factory calls; resize_; and views, which
 * share memory with another tensor. PyTorch's own functions implement the views. These functions
 * are registered because the CPU fallback would return a copy instead of a view.
 */
#include "foo.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_nested_tensor_size_native.h>
#include <ATen/ops/_nested_tensor_storage_offsets_native.h>
#include <ATen/ops/_nested_tensor_strides_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <algorithm>

namespace foo
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::DeviceIndex device_for(std::optional<at::Layout> layout, std::optional<at::Device> device,
                            std::optional<bool> pinned)
{
    const at::Device wanted = c10::device_or_default(device);
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == at::kStrided,
                                "foo: only strided tensors are implemented");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
                "foo: only tensors of the CPU can be pinned");
    return resolve(wanted.index(), "empty");
}

at::Tensor filled_if_asked(at::Tensor tensor)
{
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_empty_deterministic_(tensor);
    return tensor;
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    const DeviceScope scope(device_for(layout, device, pinned));
    return filled_if_asked(
        at::detail::empty_generic(size, allocator(), kKeys, c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pinned)
{
    const DeviceScope scope(device_for(layout, device, pinned));
    return filled_if_asked(at::detail::empty_strided_generic(size, stride, allocator(), kKeys,
                                                             c10::dtype_or_default(dtype)));
}

/* @with views */
/* Sizes and strides change. If the memory is too small, the contents move to new memory. */
void resize_to(const at::Tensor &self, at::IntArrayRef size, at::OptionalIntArrayRef stride)
{
    c10::TensorImpl *const impl = self.unsafeGetTensorImpl();
    const size_t item = self.dtype().itemsize();
    const auto offset = static_cast<size_t>(self.storage_offset());
    if (self.sizes() == size && (!stride || self.strides() == *stride))
        return;
    at::detail::check_size_nonnegative(size);
    const size_t bytes = stride ? at::detail::computeStorageNbytes(size, *stride, item, offset)
                                : at::detail::computeStorageNbytesContiguous(size, item, offset);
    if (c10::multiply_integers(size) > 0 && bytes > self.storage().nbytes())
        resize_storage(self.storage().unsafeGetStorageImpl(), bytes);
    if (stride)
        impl->set_sizes_and_strides(size, *stride);
    else
        impl->set_sizes_contiguous(size);
}

const at::Tensor &resize(const at::Tensor &self, at::IntArrayRef size,
                         std::optional<at::MemoryFormat> format)
{
    const auto before = static_cast<int64_t>(self.storage().nbytes());
    resize_to(self, size, {});
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_resize_deterministic_(self, before);
    if (format) {
        TORCH_CHECK(*format != at::MemoryFormat::Preserve, "Unsupported memory format ", *format);
        self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
    }
    return self;
}

at::Tensor as_strided(const at::Tensor &self, at::IntArrayRef size, at::IntArrayRef stride,
                      std::optional<int64_t> offset)
{
    return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source, int64_t offset, at::IntArrayRef size,
                        at::IntArrayRef stride)
{
    at::native::checkSetStorage<int64_t>(self, std::move(source), offset, size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    resize_to(self, size,
              stride.data() ? at::OptionalIntArrayRef(stride) : at::OptionalIntArrayRef());
    return self;
}

at::Tensor &set_empty(at::Tensor &self)
{
    const DeviceScope scope(self.device().index());
    at::Storage storage(c10::Storage::use_byte_size_t(), 0, allocator()->allocate(0), allocator(),
                        true);
    return set_storage(self, std::move(storage), 0, {0}, {});
}
/* @end */

bool is_dense(const at::Tensor &tensor)
{
    return (tensor.is_cpu() || tensor.is_privateuseone()) &&
           tensor.key_set().has(c10::DispatchKey::Dense);
}

/* Module.to keeps its Parameters only if their data may move between CPU and device. */
bool takes_data_of(const at::Tensor &self, const at::Tensor &from)
{
    return self.key_set() == from.key_set() || (is_dense(self) && is_dense(from));
}

} // namespace

void resize_storage(c10::StorageImpl *storage, size_t bytes)
{
    TORCH_CHECK(storage->resizable(), "Trying to resize storage that is not resizable");
    const DeviceScope scope(storage->device().index());
    foo_stream *const stream = current_stream(current_device());
    c10::DataPtr data = storage->allocator()->allocate(bytes);
    const size_t kept = std::min(storage->nbytes(), bytes);

    if (kept > 0)
        check(foo_copy(stream, data.get(), storage->data(), kept), "resize storage");
    storage->set_data_ptr_noswap(
        std::move(data)); /* the old block is freed when the copy is done */
    storage->set_nbytes(bytes);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", TORCH_FN(empty));
    m.impl("empty_strided", TORCH_FN(empty_strided));
    /* @with views */
    m.impl("resize_", TORCH_FN(resize));
    m.impl("as_strided", TORCH_FN(as_strided));
    m.impl("view", TORCH_FN(at::native::view));
    m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
    m.impl("unfold", TORCH_FN(at::native::unfold));
    m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
    m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
    m.impl("is_set_to", TORCH_FN(at::native::is_set_to));
    m.impl("set_", TORCH_FN(set_empty));
    m.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
    m.impl("set_.source_Storage",
           static_cast<at::Tensor &(*)(at::Tensor &, at::Storage)>(at::native::set_));
    m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
    /* @end */
    m.impl("_has_compatible_shallow_copy_type", TORCH_FN(takes_data_of));
}

/* PyTorch makes nested tensors for every backend and reads their sizes where it must not throw. */
TORCH_LIBRARY_IMPL(aten, NestedTensorPrivateUse1, m)
{
    m.impl("_nested_tensor_size", TORCH_FN(at::native::_nested_tensor_size));
    m.impl("_nested_tensor_strides", TORCH_FN(at::native::_nested_tensor_strides));
    m.impl("_nested_tensor_storage_offsets", TORCH_FN(at::native::_nested_tensor_storage_offsets));
}

} // namespace foo
