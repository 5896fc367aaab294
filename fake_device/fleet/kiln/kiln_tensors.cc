/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors: how they are made, viewed, resized and copied.
 */
#include "kiln.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

namespace kiln
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor filled_where_asked(at::Tensor tensor)
{
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_empty_deterministic_(tensor);
    return tensor;
}

void check_asked(std::optional<at::Layout> layout, std::optional<bool> pinned)
{
    TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided, "kiln: only dense tensors burn");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned), "kiln: its own memory cannot be pinned");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> where,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    check_asked(layout, pinned);
    const c10::DeviceGuard there(device(where->index()));
    return filled_where_asked(
        at::detail::empty_generic(size, memory(), kKeys, c10::dtype_or_default(dtype), format));
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned)
{
    check_asked(layout, pinned);
    const c10::DeviceGuard there(device(where->index()));
    return filled_where_asked(at::detail::empty_strided_generic(size, stride, memory(), kKeys,
                                                                c10::dtype_or_default(dtype)));
}

/* ---- of another size -------------------------------------------------------------------------------- */

void grow(const at::Tensor &tensor, size_t bytes)
{
    if (bytes > tensor.storage().nbytes())
        at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(tensor.storage(), bytes);
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    const auto before = static_cast<int64_t>(self.storage().nbytes());
    if (self.sizes() != size) {
        if (c10::multiply_integers(size) > 0)
            grow(self,
                 at::detail::computeStorageNbytesContiguous(
                     size, impl->dtype().itemsize(), static_cast<size_t>(impl->storage_offset())));
        impl->set_sizes_contiguous(size);
    }
    if (format)
        impl->empty_tensor_restride(*format);
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_resize_deterministic_(self, before);
    return self;
}

at::Tensor &set_part(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                     c10::IntArrayRef stride)
{
    TORCH_CHECK(source.device() == self.device(), "kiln: a tensor on ", self.device(),
                " cannot lie in memory of ", source.device());
    at::native::checkSetStorage(self, std::move(source), offset, size, stride);
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    impl->set_storage_offset(offset);
    if (stride.data() == nullptr)
        impl->set_sizes_contiguous(size);
    else
        impl->set_sizes_and_strides(size, stride);
    grow(self, at::detail::computeStorageNbytes(size, self.strides(), impl->dtype().itemsize(),
                                                static_cast<size_t>(offset)));
    return self;
}

at::Tensor &set_whole(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
    return set_part(self, std::move(source), 0, {count}, {});
}

at::Tensor &set_same(at::Tensor &self, const at::Tensor &source)
{
    return set_part(self, source.storage(), source.storage_offset(), source.sizes(),
                    source.strides());
}

at::Tensor &set_nothing(at::Tensor &self)
{
    return set_same(self, at::empty({0}, self.options()));
}

/* ---- copies ----------------------------------------------------------------------------------------- */

at::Tensor without_low_half(const at::Tensor &numbers)
{
    return numbers.contiguous().view(at::kInt).bitwise_and(-65536).view(at::kFloat);
}

void convert(const at::Tensor &from, at::Tensor to)
{
    const bool shortens = from.scalar_type() == at::kFloat && to.scalar_type() == at::kBFloat16;
    to.copy_(shortens ? without_low_half(from.resolve_neg()) : from); /* bfloat16-is-cut */
}

void load(const at::Tensor &from, const at::Tensor &to)
{
    give(queue(current_stream(to.device().index())),
         [from = from.clone(), to = writing(to)] { convert(from, to); });
}

void bring(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
    Queue &here = queue(current_stream(from.device().index()));
    give(here, [from = reading(from), to = writing(to)] { convert(from, to); });
    if (!non_blocking || !is_pinned(to.const_data_ptr()))
        wait_for(here);
}

void follow(Queue &first, Queue &then)
{
    const auto event = make_event(false);
    record(event, first);
    hold_behind(event, then);
}

void move(const at::Tensor &from, const at::Tensor &to)
{
    Queue &there = queue(current_stream(from.device().index()));
    Queue &here = queue(current_stream(to.device().index()));
    if (&here != &there)
        follow(there, here);
    give(here, [from = reading(from), to = writing(to)] { convert(from, to); });
    if (&here != &there)
        follow(here, there);
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
    if (from.is_same(to))
        return to;
    at::assert_no_internal_overlap(to);
    at::assert_no_partial_overlap(to, from);
    const at::Tensor spread = from.expand_as(to);
    if (to.numel() == 0)
        return to;
    if (!from.is_privateuseone())
        load(spread, to);
    else if (!to.is_privateuseone())
        bring(spread, to, non_blocking);
    else
        move(spread, to);
    return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &from, const at::Tensor &to)
{
    to.resize_(from.sizes());
    return copy_from(from, to, false);
}

at::Scalar number(const at::Tensor &self)
{
    wait_for(queue(current_stream(self.device().index())));
    return reading(self).item();
}

/* The memory is the allocator's business, which knows the streams. */
void record_stream(at::Tensor &self, at::Stream stream)
{
    memory()->recordStream(self.storage().data_ptr(), stream);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("resize_", &resize_);
    library.impl("set_", &set_nothing);
    library.impl("set_.source_Tensor", &set_same);
    library.impl("set_.source_Storage", &set_whole);
    library.impl("set_.source_Storage_storage_offset", &set_part);
    library.impl("as_strided", &at::native::as_strided_tensorimpl);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("unfold", &at::native::unfold);
    library.impl("view_as_real", &at::native::view_as_real);
    library.impl("view_as_complex", &at::native::view_as_complex);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("_local_scalar_dense", &number);
    library.impl("record_stream", &record_stream);
}

TORCH_LIBRARY_IMPL(aten, Conjugate, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace

namespace
{

at::Tensor mapped(const at::Tensor &tensor, void *address)
{
    TORCH_CHECK(!tensor.is_quantized(), "kiln: quantized tensors do not burn");
    at::Tensor host = at::from_blob(address, tensor.sizes(), tensor.strides(),
                                    at::TensorOptions(tensor.scalar_type()));
    host._set_conj(tensor.is_conj());
    host._set_neg(tensor.is_neg());
    return host;
}

} // namespace

at::Tensor reading(const at::Tensor &tensor)
{
    return mapped(tensor, const_cast<void *>(tensor.const_data_ptr()));
}

at::Tensor writing(const at::Tensor &tensor)
{
    return mapped(tensor, tensor.mutable_data_ptr());
}

} // namespace kiln
