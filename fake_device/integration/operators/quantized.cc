/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantized tensors with one scale or one scale per channel: creation, copies, and queries.
 *
 * Purpose: torch.quantize_per_tensor, and moving, saving and loading of quantized weights.
 * If this file is removed, core refuses these calls with a message about "Quantizedfakedev".
 * Traps: a copy must preserve the integers, the scale and the zero point. Core has generic code for
 * most operations on quantized tensors.
 * Serves: QSN-001 to QSN-006.
 */
#include <ATen/ATen.h>
#include <ATen/ops/_empty_affine_quantized_native.h>
#include <ATen/ops/_empty_per_channel_affine_quantized_native.h>
#include <ATen/ops/empty_quantized_native.h>
#include <ATen/ops/q_per_channel_axis_native.h>
#include <ATen/ops/q_per_channel_scales_native.h>
#include <ATen/ops/q_per_channel_zero_points_native.h>
#include <ATen/ops/q_scale_native.h>
#include <ATen/ops/q_zero_point_native.h>
#include <ATen/ops/qscheme_native.h>
#include <ATen/ops/set_native.h>
#include <torch/library.h>

#include <vector>

namespace fakedev
{
namespace
{

/* Views the memory of a quantized tensor as an integer tensor. */
at::Tensor numbers_of(const at::Tensor &quantized)
{
    const at::TensorOptions kind =
        quantized.options().dtype(c10::toUnderlying(quantized.scalar_type()));
    return at::empty({0}, kind).set_(quantized.storage(), quantized.storage_offset(),
                                     quantized.sizes(), quantized.strides());
}

/* Core has already compared the dtypes and given `destination` the quantizer of `source`. */
at::Tensor copy_quantized(const at::Tensor &source, const at::Tensor &destination,
                          bool non_blocking)
{
    numbers_of(destination).copy_(numbers_of(source), non_blocking);
    return destination;
}

at::Tensor int_repr(const at::Tensor &self)
{
    return numbers_of(self).clone();
}

/* Reshapes a tensor with one number per channel so that it broadcasts against `self`. */
at::Tensor spread(const at::Tensor &channels, const at::Tensor &self)
{
    std::vector<int64_t> shape(static_cast<size_t>(self.dim()), 1);
    shape[static_cast<size_t>(self.q_per_channel_axis())] = -1;
    return channels.to(at::kFloat).view(shape);
}

at::Tensor dequantize(const at::Tensor &self)
{
    const at::Tensor numbers = numbers_of(self).to(at::kFloat);
    if (self.qscheme() == at::kPerTensorAffine)
        return numbers.sub(self.q_zero_point()).mul(self.q_scale());
    return numbers.sub(spread(self.q_per_channel_zero_points(), self))
        .mul(spread(self.q_per_channel_scales(), self));
}

} // namespace
} // namespace fakedev

TORCH_LIBRARY_IMPL(aten, QuantizedPrivateUse1, m)
{
    m.impl("_empty_affine_quantized", TORCH_FN(at::native::empty_affine_quantized));
    m.impl("_empty_per_channel_affine_quantized",
           TORCH_FN(at::native::empty_per_channel_affine_quantized));
    m.impl("empty_quantized", TORCH_FN(at::native::empty_quantized));
    m.impl("_copy_from", TORCH_FN(fakedev::copy_quantized));
    m.impl("q_scale", TORCH_FN(at::native::q_scale_quant));
    m.impl("q_per_channel_scales", TORCH_FN(at::native::q_per_channel_scales));
    m.impl("q_per_channel_zero_points", TORCH_FN(at::native::q_per_channel_zero_points));
    m.impl("q_per_channel_axis", TORCH_FN(at::native::q_per_channel_axis));
    m.impl("q_zero_point", TORCH_FN(at::native::q_zero_point_quant));
    m.impl("qscheme", TORCH_FN(at::native::qscheme_quant));
    m.impl("set_.source_Storage_storage_offset", TORCH_FN(at::native::set_storage_quantized_));
    m.impl("int_repr", TORCH_FN(fakedev::int_repr));
    m.impl("dequantize.self", TORCH_FN(fakedev::dequantize));
}
