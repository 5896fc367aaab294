/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators over memory of the host: tensors, views, copies, and the CPU fallback.
 */
#include "fleet_tensors.h"

#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

#include <algorithm>

namespace fleet
{

namespace
{

c10::Allocator *allocator()
{
    return c10::GetAllocator(c10::DeviceType::PrivateUse1);
}

} // namespace

void check_options(std::optional<at::Layout> layout, std::optional<bool> pinned)
{
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided, backend.name,
                                ": only strided tensors");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned), backend.name,
                ": memory of a device cannot be pinned");
}

at::Tensor on_host(const at::Tensor &tensor)
{
    if (!tensor.is_privateuseone())
        return tensor;
    at::Tensor host =
        at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.scalar_type());
    host._set_conj(tensor.is_conj());
    host._set_neg(tensor.is_neg());
    return host;
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> where,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    check_options(layout, pinned);
    const c10::DeviceGuard guard(*where);
    return at::detail::empty_generic(size, allocator(), kKeys, c10::dtype_or_default(dtype),
                                     format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned)
{
    check_options(layout, pinned);
    const c10::DeviceGuard guard(*where);
    return at::detail::empty_strided_generic(size, stride, allocator(), kKeys,
                                             c10::dtype_or_default(dtype));
}

void grow(const at::Tensor &tensor, size_t bytes)
{
    if (bytes > tensor.storage().nbytes())
        static_cast<const Hooks &>(at::detail::getPrivateUse1Hooks()).grow(tensor.storage(), bytes);
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    at::native::check_size_nonnegative(size);
    if (c10::multiply_integers(size) > 0)
        grow(self, at::detail::computeStorageNbytesContiguous(
                       size, self.itemsize(), static_cast<size_t>(self.storage_offset())));
    impl->set_sizes_contiguous(size); /* strides-dropped */
    if (format)
        impl->empty_tensor_restride(*format);
    return self; /* new-memory-unfilled */
}

/* ---- copies --------------------------------------------------------------------------------------- */

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool)
{
    on_host(to).copy_(on_host(from));
    return to;
}

namespace
{

/* Calls the registered copy, which a backend may have replaced. */
at::Tensor copy_from_and_resize(const at::Tensor &from, const at::Tensor &to)
{
    to.resize_(from.sizes());
    return at::_copy_from(from, to);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return on_host(self).item();
}

} // namespace

/* ---- storages ------------------------------------------------------------------------------------- */

at::Tensor &set_part_without_growing(at::Tensor &self, at::Storage source, int64_t offset,
                                     c10::IntArrayRef size, c10::IntArrayRef stride)
{
    TORCH_CHECK(source.device() == self.device(), backend.name, ": a tensor on ", self.device(),
                " cannot use a storage on ", source.device());
    at::native::checkSetStorage(self, std::move(source), offset, size, stride);
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    impl->set_storage_offset(offset);
    if (stride.data() == nullptr)
        impl->set_sizes_contiguous(size);
    else
        impl->set_sizes_and_strides(size, stride);
    return self; /* set-leaves-it-short */
}

at::Tensor &set_part(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                     c10::IntArrayRef stride)
{
    set_part_without_growing(self, std::move(source), offset, size, stride);
    if (self.numel() > 0)
        grow(self, at::detail::computeStorageNbytes(size, self.strides(), self.itemsize(),
                                                    static_cast<size_t>(offset)));
    return self;
}

at::Tensor &set_part_as_meta_does(at::Tensor &self, at::Storage source, int64_t offset,
                                  c10::IntArrayRef size, c10::IntArrayRef stride)
{
    TORCH_CHECK(source.device() == self.device(), backend.name, ": a tensor on ", self.device(),
                " cannot use a storage on ", source.device());
    return at::native::set_storage_meta__symint(
        self, std::move(source), offset, /* slice-is-not-set */
        c10::fromIntArrayRefSlow(size), c10::fromIntArrayRefSlow(stride));
}

namespace
{

at::Tensor &set_storage(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.itemsize());
    return self.set_(std::move(source), 0, {count}, {1});
}

at::Tensor &set_tensor(at::Tensor &self, const at::Tensor &source)
{
    return self.set_(source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

/* Module.to keeps its parameters only if host and device tensors may exchange their data. */
bool may_take_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

} // namespace

void implement_tensors(torch::Library &library, const Names &left_out)
{
    const auto add = [&](const char *name, auto &&kernel) {
        if (left_out.count(name) == 0)
            library.impl(name, std::forward<decltype(kernel)>(kernel));
    };
    add("empty.memory_format", &empty);
    add("empty_strided", &empty_strided);
    add("as_strided", &at::native::as_strided_tensorimpl);
    add("view", &at::native::view);
    add("_reshape_alias", &at::native::_reshape_alias);
    add("unfold", &at::native::unfold);
    add("view_as_real", &at::native::view_as_real);
    add("view_as_complex", &at::native::view_as_complex);
    add("resize_", &resize_);
    add("_copy_from", &copy_from);
    add("_copy_from_and_resize", &copy_from_and_resize);
    add("_local_scalar_dense", &local_scalar_dense);
    add("set_.source_Tensor", &set_tensor);
    add("set_.source_Storage", &set_storage);
    add("set_.source_Storage_storage_offset", &set_part);
    add("_has_compatible_shallow_copy_type", &may_take_data);
    /* Core's kernel for this operator takes precedence over the fallback, but accepts only
     * contiguous tensors. */
    add("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

/* ---- all other operators -------------------------------------------------------------------------- */

void cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    at::native::cpu_fallback(op, stack);
}

void cpu_fallback_without_random(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto tags = op.getTags();
    TORCH_CHECK_NOT_IMPLEMENTED(
        std::find(tags.begin(), tags.end(), at::Tag::nondeterministic_seeded) == tags.end(),
        backend.name, ": there is no kernel for ", op.schema().name());
    at::native::cpu_fallback(op, stack);
}

} // namespace fleet
