/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors: factories, views, resizing and copies.
 */
#include "async_streams/async_streams.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/native/ResizeCommon.h>
#include <ATen/native/TensorFactories.h>

namespace async_streams
{

namespace
{

at::Tensor filled_where_asked(at::Tensor tensor)
{
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_empty_deterministic_(tensor);
    return tensor;
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> where,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    return filled_where_asked(fleet::empty(size, dtype, layout, where, pinned, format));
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> where, std::optional<bool> pinned)
{
    return filled_where_asked(fleet::empty_strided(size, stride, dtype, layout, where, pinned));
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    const auto before = static_cast<int64_t>(self.storage().nbytes());
    if (self.sizes() != size) {
        if (c10::multiply_integers(size) > 0)
            fleet::grow(self, at::detail::computeStorageNbytesContiguous(
                                  size, impl->dtype().itemsize(),
                                  static_cast<size_t>(impl->storage_offset())));
        impl->set_sizes_contiguous(size);
    }
    if (format)
        impl->empty_tensor_restride(*format);
    if (at::globalContext().deterministicAlgorithms() &&
        at::globalContext().deterministicFillUninitializedMemory())
        at::native::fill_resize_deterministic_(self, before);
    return self;
}

at::Tensor &set_nothing(at::Tensor &self)
{
    return self.set_(at::empty({0}, self.options()));
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
    give(queue(fleet::current_stream(to.device().index())),
         [from = from.clone(), to = writing(to)] { convert(from, to); });
}

void bring(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
    Queue &here = queue(fleet::current_stream(from.device().index()));
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
    Queue &there = queue(fleet::current_stream(from.device().index()));
    Queue &here = queue(fleet::current_stream(to.device().index()));
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

at::Scalar number(const at::Tensor &self)
{
    wait_for(queue(fleet::current_stream(self.device().index())));
    return reading(self).item();
}

/* The allocator knows which streams use a block, so the allocator records the stream. */
void record_stream(at::Tensor &self, at::Stream stream)
{
    memory()->recordStream(self.storage().data_ptr(), stream);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(library,
                             {"empty.memory_format", "empty_strided", "resize_", "_copy_from",
                              "_local_scalar_dense", "native_group_norm",
                              "_has_compatible_shallow_copy_type"}); /* parameters-made-anew */
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("resize_", &resize_);
    library.impl("set_", &set_nothing);
    library.impl("_copy_from", &copy_from);
    library.impl("_local_scalar_dense", &number);
    library.impl("record_stream", &record_stream);
}

FLEET_COPIES_RESOLVE_LAZY_BITS

at::Tensor mapped(const at::Tensor &tensor, void *address)
{
    TORCH_CHECK(!tensor.is_quantized(), "async_streams: quantized tensors are not offered");
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

} // namespace async_streams
