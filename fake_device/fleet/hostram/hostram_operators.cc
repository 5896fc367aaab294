/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operators a backend cannot do without. All others run by CPU fallback.
 */
#include "hostram.h"

#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>

#include <cstring>

namespace hostram
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

/* The same memory as a tensor of the CPU. */
at::Tensor on_host(const at::Tensor &tensor)
{
    if (tensor.is_cpu())
        return tensor;
    return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                         at::TensorOptions().dtype(tensor.dtype()));
}

void check_options(std::optional<at::Layout> layout, std::optional<bool> pinned)
{
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided,
                                "hostram: only strided tensors");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
                "hostram: memory of a device cannot be pinned");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    check_options(layout, pinned);
    const c10::DeviceGuard on(c10::device_or_default(device)); /* factory-index */
    return at::detail::empty_generic(size, allocator(), kKeys, c10::dtype_or_default(dtype),
                                     format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pinned)
{
    check_options(layout, pinned);
    const c10::DeviceGuard on(c10::device_or_default(device));
    return at::detail::empty_strided_generic(size, stride, allocator(), kKeys,
                                             c10::dtype_or_default(dtype));
}

void grow(const at::Storage &storage, size_t bytes)
{
    TORCH_CHECK(storage.resizable(), "hostram: this storage cannot be resized");
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(
        allocator()->allocate(bytes)); /* resize-* */
    storage.unsafeGetStorageImpl()->set_nbytes(bytes);
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    const size_t bytes = at::detail::computeStorageNbytesContiguous(
        size, impl->dtype().itemsize(), static_cast<size_t>(impl->storage_offset()));

    if (bytes > self.storage().nbytes())
        grow(self.storage(), bytes);
    impl->set_sizes_contiguous(size);
    if (format)
        impl->empty_tensor_restride(*format);
    return self;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool)
{
    at::Tensor target = on_host(to);

    target.copy_(on_host(self));
    return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to)
{
    to.resize_(self.sizes());
    return copy_from(self, to, false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return at::_local_scalar_dense(on_host(self));
}

at::Tensor &set_storage_part(at::Tensor &self, at::Storage source, int64_t offset,
                             c10::IntArrayRef size, c10::IntArrayRef stride)
{
    TORCH_CHECK(source.device() == self.device(), "hostram: a tensor on ", self.device(),
                " cannot use a storage on ", source.device());
    at::native::checkSetStorage(self, source, offset, size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    if (stride.data() != nullptr)
        self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    else
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    return self;
}

at::Tensor &set_whole_storage(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
    const std::array<int64_t, 1> size{count};

    return set_storage_part(self, std::move(source), 0, size, {});
}

at::Tensor &set_tensor(at::Tensor &self, const at::Tensor &source)
{
    return set_storage_part(self, source.storage(), source.storage_offset(), source.sizes(),
                            source.strides());
}

void on_the_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    at::native::cpu_fallback(op, stack);
}

/* Module.to keeps its parameters where the host's tensors may take the data of ours, and back. */
bool may_take_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("as_strided", &at::native::as_strided_tensorimpl);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("_has_compatible_shallow_copy_type", &may_take_data);
    /* Core has a form of its own, which wins over the fallback and takes contiguous tensors alone. */
    library.impl("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
    library.impl("resize_", &resize_);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("_local_scalar_dense", &local_scalar_dense);
    library.impl("set_.source_Tensor", &set_tensor);
    library.impl("set_.source_Storage", &set_whole_storage);
    library.impl("set_.source_Storage_storage_offset", &set_storage_part);
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    KERNEL_PRIVATEUSEONE(mm, lower_precision_fp) /* autocast-mm-only */
}

} // namespace

} // namespace hostram
