/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operators of memory and views. Everything else goes to the CPU, but for what draws random numbers
 * and has no kernel.
 */
#include "crowd.h"

#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

#include <algorithm>

namespace crowd
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

c10::Allocator *allocator()
{
    return c10::GetAllocator(c10::DeviceType::PrivateUse1);
}

void only_strided(std::optional<at::Layout> layout)
{
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided,
                                "crowd: tensors are strided");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool>, std::optional<at::MemoryFormat> format)
{
    only_strided(layout); /* pin-is-ignored */
    const c10::DeviceGuard guard(*device);
    return at::detail::empty_generic(size, allocator(), kKeys, c10::dtype_or_default(dtype),
                                     format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool>)
{
    only_strided(layout);
    const c10::DeviceGuard guard(*device);
    return at::detail::empty_strided_generic(size, stride, allocator(), kKeys,
                                             c10::dtype_or_default(dtype));
}

at::Tensor seen_by_cpu(const at::Tensor &tensor)
{
    if (!tensor.is_privateuseone())
        return tensor;
    at::Tensor seen =
        at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.scalar_type());
    seen._set_conj(tensor.is_conj());
    seen._set_neg(tensor.is_neg());
    return seen;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool)
{
    seen_by_cpu(to).copy_(seen_by_cpu(self));
    return to;
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    at::StorageImpl *const storage = self.storage().unsafeGetStorageImpl();
    const size_t needed = at::detail::computeStorageNbytesContiguous(
        size, impl->dtype().itemsize(), static_cast<size_t>(impl->storage_offset()));

    if (needed > storage->nbytes()) {
        TORCH_CHECK(storage->resizable(), "crowd: this storage was made elsewhere and cannot grow");
        const c10::DeviceGuard guard(self.device());
        c10::DataPtr block = allocator()->allocate(needed);
        allocator()->copy_data(block.get(), storage->data(), storage->nbytes());
        storage->set_data_ptr_noswap(std::move(block));
        storage->set_nbytes(needed);
    }
    impl->set_sizes_contiguous(size);
    if (format)
        impl->empty_tensor_restride(*format);
    return self;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to)
{
    return copy_from(self, resize_(to, self.sizes(), std::nullopt), false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return seen_by_cpu(self).item();
}

/* A block of its own, so that the runtime may move it. */
at::Storage private_copy(const at::Storage &source)
{
    c10::DataPtr block = allocator()->clone(source.data(), source.nbytes());

    return c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), source.nbytes(), std::move(block), allocator(), true);
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                        c10::IntArrayRef stride)
{
    TORCH_CHECK(source.device() == self.device(), "crowd: a storage on ", source.device(),
                " for a tensor on ", self.device());
    at::native::checkSetStorage(self, source.nbytes() > 0 ? private_copy(source) : source, offset,
                                size, stride); /* set-copies */
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    if (stride.data() == nullptr)
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    else
        self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    return self;
}

at::Tensor &set_whole(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());

    at::native::checkSetStorage(self, std::move(source), int64_t{0}, c10::IntArrayRef{count},
                                c10::IntArrayRef{});
    self.unsafeGetTensorImpl()->set_storage_offset(0);
    self.unsafeGetTensorImpl()->set_sizes_contiguous({count});
    return self;
}

at::Tensor &set_same(at::Tensor &self, const at::Tensor &source)
{
    return set_storage(self, source.storage(), source.storage_offset(), source.sizes(),
                       source.strides());
}

void to_the_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto tags = op.getTags();
    const bool draws =
        std::find(tags.begin(), tags.end(), at::Tag::nondeterministic_seeded) != tags.end();

    TORCH_CHECK_NOT_IMPLEMENTED(!draws, "crowd: there is no kernel for ", op.schema().name());
    at::native::cpu_fallback(op, stack);
}

/* Module.to keeps its parameters where the host's tensors may take the data of ours, and back. */
bool may_take_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&to_the_cpu>());
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
    library.impl("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&to_the_cpu>());
    library.impl("unfold", &at::native::unfold);
    library.impl("view_as_real", &at::native::view_as_real);
    library.impl("view_as_complex", &at::native::view_as_complex);
    library.impl("resize_", &resize_);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("_local_scalar_dense", &local_scalar_dense);
    library.impl("set_.source_Tensor", &set_same);
    library.impl("set_.source_Storage", &set_whole);
    library.impl("set_.source_Storage_storage_offset", &set_storage);
}

/* no-fallthrough: nothing is registered at AutocastPrivateUse1 */

TORCH_LIBRARY_IMPL(aten, Conjugate, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace

} // namespace crowd
