/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dozen operators. What one cannot do it refuses with NotImplementedError before it does anything.
 */
#include "dozen.h"

#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/view_native.h>

#include <algorithm>
#include <cstring>

namespace dozen
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

/* ---- tensors ---------------------------------------------------------------------------------- */

void refuse_options(std::optional<at::Layout> layout, std::optional<bool> pinned)
{
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided,
                                "dozen: strided tensors only");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
                "dozen: only memory of the host can be pinned");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    refuse_options(layout, pinned);
    return at::detail::empty_generic(size, allocator_for(real_device(*device)), kKeys,
                                     c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pinned)
{
    refuse_options(layout, pinned);
    return at::detail::empty_strided_generic(
        size, stride, allocator_for(*device), kKeys,
        c10::dtype_or_default(dtype)); /* strided-without-index */
}

at::Tensor as_strided(const at::Tensor &self, c10::IntArrayRef size, c10::IntArrayRef stride,
                      std::optional<int64_t> offset)
{
    at::Tensor view = at::detail::make_tensor<at::TensorImpl>(
        c10::TensorImpl::VIEW, c10::Storage(self.storage()), self.key_set(), self.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride,
                                                      offset.value_or(0)); /* as-strided-* */
    return view;
}

/* ---- copies ----------------------------------------------------------------------------------- */

void refuse_strided(const at::Tensor &from, const at::Tensor &to)
{
    TORCH_CHECK_NOT_IMPLEMENTED(from.is_contiguous() && to.is_contiguous(),
                                "dozen: copies contiguous tensors only");
    TORCH_CHECK_NOT_IMPLEMENTED(from.dtype() == to.dtype(), "dozen: a copy does not convert ",
                                from.dtype(), " to ", to.dtype());
    TORCH_CHECK_NOT_IMPLEMENTED(from.sizes() == to.sizes(), "dozen: a copy does not broadcast");
    TORCH_CHECK_NOT_IMPLEMENTED(!from.is_conj() && !from.is_neg(), "dozen: no lazy conjugation");
}

at::Tensor copy_from(const at::Tensor &from, const at::Tensor &to, bool)
{
    refuse_strided(from, to);
    if (from.numel() > 0)
        std::memmove(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
    return to;
}

/* ---- arithmetic ------------------------------------------------------------------------------- */

void refuse_input(const at::Tensor &tensor)
{
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.is_privateuseone(),
                                "dozen: takes tensors on the device, no scalars");
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.is_contiguous() && tensor.scalar_type() == at::kFloat,
                                "dozen: computes with contiguous float32 only");
}

void refuse_pair(const at::Tensor &left, const at::Tensor &right)
{
    refuse_input(left);
    refuse_input(right);
    TORCH_CHECK(left.device() == right.device(),
                "Expected all tensors to be on the same device, but found ", left.device(), " and ",
                right.device());
}

at::Tensor result_like(const at::Tensor &self, c10::IntArrayRef size)
{
    return at::empty(size, self.options());
}

template <typename Combine>
at::Tensor elementwise(const at::Tensor &left, const at::Tensor &right, Combine combine)
{
    refuse_pair(left, right);
    TORCH_CHECK_NOT_IMPLEMENTED(left.numel() == right.numel(),
                                "dozen: does not broadcast"); /* shapes-uncompared */
    at::Tensor result = result_like(left, left.sizes());
    const float *const a = left.const_data_ptr<float>();
    std::transform(a, a + left.numel(), right.const_data_ptr<float>(),
                   result.mutable_data_ptr<float>(), combine);
    return result;
}

at::Tensor add(const at::Tensor &self, const at::Tensor &other,
               const at::Scalar &) /* alpha-ignored */
{
    return elementwise(self, other, [](float a, float b) { return a + b; });
}

at::Tensor mul(const at::Tensor &self, const at::Tensor &other)
{
    return elementwise(self, other, [](float a, float b) { return a * b; });
}

at::Tensor relu(const at::Tensor &self)
{
    return elementwise(self, self,
                       [](float a, float) { return a > 0 ? a : 0.0F; }); /* relu-loses-nan */
}

void multiply(const at::Tensor &self, const at::Tensor &other, float *to)
{
    const int64_t rows = self.size(0), inner = self.size(1), columns = other.size(1);
    const float *const a = self.const_data_ptr<float>(), *const b = other.const_data_ptr<float>();

    std::fill(to, to + rows * columns, 0.0F);
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t k = 0; k < inner; k++)
            for (int64_t column = 0; column < columns; column++)
                to[row * columns + column] += a[row * inner + k] * b[k * columns + column];
    }
}

at::Tensor mm(const at::Tensor &self, const at::Tensor &other)
{
    refuse_pair(self, other);
    const int before = current_device();

    switch_device(self.device().index()); /* mm-leaves-device */
    TORCH_CHECK(self.dim() == 2 && other.dim() == 2 && self.size(1) == other.size(0),
                "dozen: mm of ", self.sizes(), " and ", other.sizes());
    at::Tensor result = result_like(self, {self.size(0), other.size(1)});
    multiply(self, other, result.mutable_data_ptr<float>());
    switch_device(before);
    return result;
}

at::Tensor sum(const at::Tensor &self, at::OptionalIntArrayRef dim, bool,
               std::optional<at::ScalarType> dtype)
{
    refuse_input(self);
    TORCH_CHECK_NOT_IMPLEMENTED(!dim || dim->empty(), "dozen: sums whole tensors only");
    TORCH_CHECK_NOT_IMPLEMENTED(!dtype || *dtype == at::kFloat, "dozen: sums in float32 only");
    at::Tensor result = result_like(self, {});
    const float *const a = self.const_data_ptr<float>();
    double total = 0;
    std::for_each(a, a + self.numel(), [&](float value) { total += value; });
    *result.mutable_data_ptr<float>() = static_cast<float>(total);
    return result;
}

at::Tensor &fill_(at::Tensor &self, const at::Scalar &value)
{
    refuse_input(self);
    std::fill_n(self.mutable_data_ptr<float>(), self.numel(), value.toFloat());
    return self;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("as_strided", &as_strided);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("_copy_from", &copy_from);
    library.impl("add.Tensor", &add);
    library.impl("mul.Tensor", &mul);
    library.impl("mm", &mm);
    library.impl("sum.dim_IntList", &sum);
    library.impl("relu", &relu);
    library.impl("fill_.Scalar", &fill_);
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFallthrough());
}

} // namespace

} // namespace dozen
