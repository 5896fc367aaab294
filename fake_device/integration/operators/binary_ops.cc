/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elementwise arithmetic of two tensors: add, mul, div, pow, ...
 *
 * Purpose: the meta classes implement broadcasting, type promotion, 0-dim CPU operands and the
 * rules for out=. Core builds the scalar overloads (add.Scalar, mul.Scalar, ...) from these
 * operators. If this file is removed, these operators run through the CPU fallback.
 * Serves: OPS-033, OPS-034, OPS-042, OPS-043, OPS-053, OPS-064 to OPS-066, OPS-069, OPS-071,
 * OPS-077.
 */
#include <ATen/ops/add_meta.h>
#include <ATen/ops/atan2_meta.h>
#include <ATen/ops/bitwise_and_meta.h>
#include <ATen/ops/bitwise_or_meta.h>
#include <ATen/ops/bitwise_xor_meta.h>
#include <ATen/ops/div_meta.h>
#include <ATen/ops/fmod_meta.h>
#include <ATen/ops/maximum_meta.h>
#include <ATen/ops/minimum_meta.h>
#include <ATen/ops/mul_meta.h>
#include <ATen/ops/pow_meta.h>
#include <ATen/ops/remainder_meta.h>
#include <ATen/ops/sub_meta.h>
#include <torch/library.h>

#include "elementwise.h"

namespace fakedev
{
namespace
{

template <fd_binary_op op, class Meta, class Op>
at::Tensor &binary_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, other);
    if (!wraps_before_cast(out, checked.common_dtype()) &&
        launch_binary(op, out, self, other, checked.common_dtype()))
        return out;
    return on_cpu<Op>(self, other, out);
}

/* An integer division by zero must raise immediately, as on the CPU. Therefore the CPU computes
 * integer divisions, unless the divisor is a host number other than 0. */
bool divides_on_device(at::ScalarType dtype, const at::Tensor &divisor)
{
    return c10::isFloatingType(dtype) ||
           (divisor.is_cpu() && divisor.dim() == 0 && at::is_nonzero(divisor));
}

template <fd_binary_op op, class Meta, class Op>
at::Tensor &dividing_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, other);
    if (!wraps_before_cast(out, checked.common_dtype()) &&
        divides_on_device(checked.common_dtype(), other) &&
        launch_binary(op, out, self, other, checked.common_dtype()))
        return out;
    return on_cpu<Op>(self, other, out);
}

/* a + alpha * b. The product is computed in the common dtype, as on the CPU. */
at::Tensor scaled(const at::Tensor &other, const at::Scalar &alpha, at::ScalarType dtype,
                  c10::Device device)
{
    const at::Tensor term = operand(other, dtype, device);
    return alpha.equal(1) ? term : at::mul(term, scalar_on_device(alpha, dtype, device));
}

template <fd_binary_op op, class Meta, class Op>
at::Tensor &adding_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                       at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, other, alpha);
    const at::ScalarType dtype = checked.common_dtype();
    const KernelScope scope(out);
    if (!wraps_before_cast(out, dtype) && device_computes(other.scalar_type()) &&
        launch_binary(op, out, self, scaled(other, alpha, dtype, out.device()), dtype))
        return out;
    return on_cpu<Op>(self, other, alpha, out);
}

/* self - alpha * other, where rsub exchanges the two operands. */
at::Tensor rsub(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha)
{
    return at::sub(other, self, alpha);
}

at::Tensor &div_mode_out(const at::Tensor &self, const at::Tensor &other,
                         std::optional<std::string_view> mode, at::Tensor &out)
{
    Structured<at::meta::structured_div_Tensor_mode> checked(out);
    checked.meta(self, other, mode);
    const fd_binary_op op = !mode ? FD_DIV : *mode == "trunc" ? FD_DIV_TRUNC : FD_DIV_FLOOR;
    if (!wraps_before_cast(out, checked.common_dtype()) &&
        divides_on_device(checked.common_dtype(), other) &&
        launch_binary(op, out, self, other, checked.common_dtype()))
        return out;
    return on_cpu<at::_ops::div_out_mode>(self, other, mode, out);
}

/* Integer powers are computed on the CPU, because only the CPU reports a negative exponent. */
at::Tensor &pow_tensor_out(const at::Tensor &self, const at::Tensor &exponent, at::Tensor &out)
{
    Structured<at::meta::structured_pow_Tensor_Tensor> checked(out);
    checked.meta(self, exponent);
    if (c10::isFloatingType(checked.common_dtype()) &&
        launch_binary(FD_POW, out, self, exponent, checked.common_dtype()))
        return out;
    return on_cpu<at::_ops::pow_Tensor_Tensor_out>(self, exponent, out);
}

at::Tensor &pow_scalar_out(const at::Tensor &self, const at::Scalar &exponent, at::Tensor &out)
{
    Structured<at::meta::structured_pow_Tensor_Scalar> checked(out);
    checked.meta(self, exponent);
    const at::ScalarType dtype = checked.common_dtype();
    if (c10::isFloatingType(dtype) && !exponent.isComplex() && device_computes(dtype) &&
        launch_binary(FD_POW, out, self, scalar_on_device(exponent, dtype, out.device()), dtype))
        return out;
    return on_cpu<at::_ops::pow_Tensor_Scalar_out>(self, exponent, out);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    using namespace at::meta;
    /* "using" is not possible: this namespace contains a class named std */
    namespace ops = at::_ops;
    m.impl("add.out", adding_out<FD_ADD, structured_add_Tensor, ops::add_out>);
    m.impl("sub.out", adding_out<FD_SUB, structured_sub_Tensor, ops::sub_out>);
    m.impl("rsub.Tensor", TORCH_FN(rsub));
    m.impl("mul.out", binary_out<FD_MUL, structured_mul_Tensor, ops::mul_out>);
    m.impl("div.out", binary_out<FD_DIV, structured_div_Tensor, ops::div_out>);
    m.impl("div.out_mode", TORCH_FN(div_mode_out));
    m.impl("fmod.Tensor_out", dividing_out<FD_FMOD, structured_fmod_Tensor, ops::fmod_Tensor_out>);
    m.impl("remainder.Tensor_out",
           dividing_out<FD_REMAINDER, structured_remainder_Tensor, ops::remainder_Tensor_out>);
    m.impl("pow.Tensor_Tensor_out", TORCH_FN(pow_tensor_out));
    m.impl("pow.Tensor_Scalar_out", TORCH_FN(pow_scalar_out));
    m.impl("atan2.out", binary_out<FD_ATAN2, structured_atan2, ops::atan2_out>);
    m.impl("maximum.out", binary_out<FD_MAXIMUM, structured_maximum, ops::maximum_out>);
    m.impl("minimum.out", binary_out<FD_MINIMUM, structured_minimum, ops::minimum_out>);
    m.impl("bitwise_and.Tensor_out",
           binary_out<FD_BITWISE_AND, structured_bitwise_and_Tensor, ops::bitwise_and_Tensor_out>);
    m.impl("bitwise_or.Tensor_out",
           binary_out<FD_BITWISE_OR, structured_bitwise_or_Tensor, ops::bitwise_or_Tensor_out>);
    m.impl("bitwise_xor.Tensor_out",
           binary_out<FD_BITWISE_XOR, structured_bitwise_xor_Tensor, ops::bitwise_xor_Tensor_out>);
}

} // namespace fakedev
