/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elementwise operators with three operands or with limits: where, addcmul, addcdiv, lerp, clamp,
 * masked_fill, threshold_backward.
 *
 * Purpose: optimisers (addcmul, addcdiv, lerp), masks, relu's gradient.
 * If this file is removed, these operators run through the CPU fallback.
 * Serves: OPS-033, OPS-042, OPS-066, OPS-069, AGRD-021, AGRD-025.
 */
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/addcdiv_meta.h>
#include <ATen/ops/addcmul_meta.h>
#include <ATen/ops/clamp_max_meta.h>
#include <ATen/ops/clamp_meta.h>
#include <ATen/ops/clamp_min_meta.h>
#include <ATen/ops/lerp_meta.h>
#include <ATen/ops/threshold_backward_meta.h>
#include <torch/library.h>

#include <cmath>

#include "elementwise.h"

namespace fakedev
{
namespace
{

using Ternary = fd_status (*)(fd_stream *, const fd_tensor *, const fd_tensor *, const fd_tensor *,
                              const fd_tensor *, struct fd_scalar);

/* The CPU computes integers, because its kernels define how integers divide and wrap. */
template <Ternary kernel, class Meta, class Op>
at::Tensor &scaled_ternary_out(const at::Tensor &self, const at::Tensor &first,
                               const at::Tensor &second, const at::Scalar &value, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, first, second, value);
    const at::ScalarType dtype = checked.common_dtype();
    const bool fits =
        c10::isFloatingType(dtype) && device_computes(dtype) && device_computes(out.scalar_type());
    if (!fits)
        return on_cpu<Op>(self, first, second, value, out);
    const KernelScope scope(out);
    const c10::Device device = out.device();
    const fd_status status = launch_elementwise(
        "ternary", out,
        {operand(self, dtype, device), operand(first, dtype, device),
         operand(second, dtype, device)},
        [&](fd_stream *stream, const fd_tensor *to, const fd_tensor *in) {
            return kernel(stream, to, &in[0], &in[1], &in[2], driver_scalar(value));
        });
    return status == FD_OK ? out : on_cpu<Op>(self, first, second, value, out);
}

/* Each half of the line uses one of PyTorch's two formulas, so both end points are exact. */
at::Tensor &lerp_scalar_out(const at::Tensor &self, const at::Tensor &end, const at::Scalar &weight,
                            at::Tensor &out)
{
    Structured<at::meta::structured_lerp_Scalar>(out).meta(self, end, weight);
    if (!c10::isFloatingType(self.scalar_type()) || weight.isComplex())
        return on_cpu<at::_ops::lerp_Scalar_out>(self, end, weight, out);
    const KernelScope scope(out);
    const double w = weight.toDouble();
    const at::Tensor difference = at::sub(end, self);
    return w < 0.5 ? at::add_out(out, self, difference, w)
                   : at::sub_out(out, end, difference, 1 - w);
}

/* The select kernel. `condition` is a bool tensor on the device. The other operands may be 0-dim
 * CPU tensors. */
bool select(const at::Tensor &out, const at::Tensor &condition, const at::Tensor &self,
            const at::Tensor &other)
{
    const c10::Device device = out.device();
    const at::ScalarType dtype = out.scalar_type();
    if (!device_computes(dtype) || !device_computes(self.scalar_type()) ||
        !device_computes(other.scalar_type()))
        return false;
    return launch_elementwise("where", out,
                              {operand(condition, at::kBool, device), operand(self, dtype, device),
                               operand(other, dtype, device)},
                              [](fd_stream *stream, const fd_tensor *to, const fd_tensor *in) {
                                  return fd_kernel_where(stream, to, &in[0], &in[1], &in[2]);
                              }) == FD_OK;
}

at::Tensor &where_out(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other,
                      at::Tensor &out)
{
    const at::ScalarType dtype = at::result_type(self, other);
    TORCH_CHECK(condition.scalar_type() == at::kBool || condition.scalar_type() == at::kByte,
                "where expected condition to be a boolean tensor, but got a tensor with dtype ",
                condition.scalar_type());
    TORCH_CHECK(out.scalar_type() == dtype, "Expected out type to be ", dtype, " but got ",
                out.scalar_type());
    at::TensorIteratorConfig()
        .check_all_same_dtype(false)
        .allow_cpu_scalars(true)
        .add_output(out)
        .add_const_input(condition)
        .add_const_input(self)
        .add_const_input(other)
        .build();
    if (select(out, condition, self, other))
        return out;
    return on_cpu<at::_ops::where_self_out>(condition, self, other, out);
}

at::Tensor where(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other)
{
    const c10::Device device = !condition.is_cpu() ? condition.device()
                               : !self.is_cpu()    ? self.device()
                                                   : other.device();
    at::Tensor out =
        at::empty({0}, at::TensorOptions().dtype(at::result_type(self, other)).device(device));
    return where_out(condition, self, other, out);
}

at::Tensor &masked_fill_scalar_(at::Tensor &self, const at::Tensor &mask, const at::Scalar &value)
{
    TORCH_CHECK(mask.scalar_type() == at::kBool,
                "masked_fill_ only supports boolean masks, but got dtype ", mask.scalar_type());
    TORCH_CHECK(mask.device() == self.device() || mask.dim() == 0,
                "expected self and mask to be on the same device, but got mask on ", mask.device(),
                " and self on ", self.device());
    at::assert_no_partial_overlap(self, mask);
    check_scalar_fits(value, self.scalar_type());
    const at::Tensor expanded = mask.expand(self.sizes());
    const bool fits = device_computes(self.scalar_type()) &&
                      at::has_internal_overlap(self) != at::MemOverlap::Yes &&
                      (!value.isComplex() || self.is_complex());
    if (fits &&
        select(self, expanded, scalar_on_device(value, self.scalar_type(), self.device()), self))
        return self;
    return on_cpu<at::_ops::masked_fill__Scalar>(self, mask, value);
}

at::Tensor &masked_fill_tensor_(at::Tensor &self, const at::Tensor &mask, const at::Tensor &value)
{
    TORCH_CHECK(value.dim() == 0,
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with ",
                value.dim(), " dimension(s).");
    return masked_fill_scalar_(self, mask, value.item());
}

/* If a bound is outside the range of an integer dtype, the CPU computes the result: up to torch
 * 2.14 such a bound wraps. From 2.15 the CPU limits the bound to the range, or refuses a bound that
 * no element can satisfy. */
bool holds(at::ScalarType dtype, const std::optional<at::Scalar> &bound)
{
    if (!bound || !c10::isIntegralType(dtype, /*includeBool=*/false))
        return true;
    const bool is_unsigned = !c10::isSignedType(dtype);
    const double bits = 8.0 * static_cast<double>(c10::elementSize(dtype));
    const double most = std::exp2(is_unsigned ? bits : bits - 1), value = bound->toDouble();

    return value >= (is_unsigned ? 0 : -most) && value < most;
}

at::Tensor &clamp_out(const at::Tensor &self, const std::optional<at::Scalar> &low,
                      const std::optional<at::Scalar> &high, at::Tensor &out)
{
    Structured<at::meta::structured_clamp> checked(out);
    checked.meta(self, low ? at::OptionalScalarRef(*low) : at::OptionalScalarRef(),
                 high ? at::OptionalScalarRef(*high) : at::OptionalScalarRef());
    const at::ScalarType dtype = checked.common_dtype();
    const auto limit = [&](const at::Scalar &value) {
        return scalar_on_device(value, dtype, out.device());
    };
    at::Tensor value = self;
    if (!device_computes(dtype) || self.is_complex() || !holds(dtype, low) || !holds(dtype, high))
        return on_cpu<at::_ops::clamp_out>(self, low, high, out);
    const KernelScope scope(out);
    if (low && high)
        value = at::maximum(self, limit(*low));
    const bool done = high ? launch_binary(FD_MINIMUM, out, value, limit(*high), dtype)
                           : launch_binary(FD_MAXIMUM, out, value, limit(*low), dtype);
    return done ? out : on_cpu<at::_ops::clamp_out>(self, low, high, out);
}

template <fd_binary_op op, class Meta, class Op>
at::Tensor &clamp_one_out(const at::Tensor &self, const at::Scalar &value, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, value);
    const at::ScalarType dtype = checked.common_dtype();
    if (device_computes(dtype) && !self.is_complex() && holds(dtype, value) &&
        launch_binary(op, out, self, scalar_on_device(value, dtype, out.device()), dtype))
        return out;
    return on_cpu<Op>(self, value, out);
}

at::Tensor &threshold_backward_out(const at::Tensor &gradient, const at::Tensor &self,
                                   const at::Scalar &threshold, at::Tensor &out)
{
    Structured<at::meta::structured_threshold_backward>(out).meta(gradient, self, threshold);
    if (!c10::isFloatingType(self.scalar_type()) || !device_computes(self.scalar_type()))
        return on_cpu<at::_ops::threshold_backward_grad_input>(gradient, self, threshold, out);
    const KernelScope scope(out);
    const at::Tensor zero = scalar_on_device(0, out.scalar_type(), out.device());
    if (select(out, at::le(self, threshold), zero, gradient))
        return out;
    return on_cpu<at::_ops::threshold_backward_grad_input>(gradient, self, threshold, out);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    using namespace at::meta;
    /* "using" is not possible: this namespace contains a class named std */
    namespace ops = at::_ops;
    m.impl("addcmul.out",
           scaled_ternary_out<fd_kernel_addcmul, structured_addcmul, ops::addcmul_out>);
    m.impl("addcdiv.out",
           scaled_ternary_out<fd_kernel_addcdiv, structured_addcdiv, ops::addcdiv_out>);
    m.impl("lerp.Scalar_out", TORCH_FN(lerp_scalar_out));
    m.impl("where.self", TORCH_FN(where));
    m.impl("where.self_out", TORCH_FN(where_out));
    m.impl("masked_fill_.Scalar", TORCH_FN(masked_fill_scalar_));
    m.impl("masked_fill_.Tensor", TORCH_FN(masked_fill_tensor_));
    m.impl("clamp.out", TORCH_FN(clamp_out));
    m.impl("clamp_min.out", clamp_one_out<FD_MAXIMUM, structured_clamp_min, ops::clamp_min_out>);
    m.impl("clamp_max.out", clamp_one_out<FD_MINIMUM, structured_clamp_max, ops::clamp_max_out>);
    m.impl("threshold_backward.grad_input", TORCH_FN(threshold_backward_out));
}

} // namespace fakedev
