/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elementwise operators of one tensor: exp, sqrt, neg, ...
 *
 * Purpose: one table row per operator. The meta class determines the dtype (exp of integers is
 * float, floor of integers is a copy). The op class is used to call the CPU if the device does not
 * support the operation.
 * If this file is removed, these operators run through the CPU fallback.
 * Serves: OPS-042, OPS-043, OPS-047, OPS-053, OPS-054, OPS-061, OPS-069, OPS-077.
 */
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/bitwise_not_meta.h>
#include <ATen/ops/ceil_meta.h>
#include <ATen/ops/cos_meta.h>
#include <ATen/ops/erf_meta.h>
#include <ATen/ops/exp_meta.h>
#include <ATen/ops/floor_meta.h>
#include <ATen/ops/log_meta.h>
#include <ATen/ops/neg_meta.h>
#include <ATen/ops/reciprocal_meta.h>
#include <ATen/ops/round_meta.h>
#include <ATen/ops/rsqrt_meta.h>
#include <ATen/ops/sigmoid_meta.h>
#include <ATen/ops/sign_meta.h>
#include <ATen/ops/sin_meta.h>
#include <ATen/ops/sqrt_meta.h>
#include <ATen/ops/tanh_meta.h>
#include <ATen/ops/trunc_meta.h>
#include <torch/library.h>

#include "elementwise.h"

namespace fakedev
{
namespace
{

template <fd_unary_op op, class Meta, class Op>
at::Tensor &unary_out(const at::Tensor &self, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self);
    if (!wraps_before_cast(out, checked.common_dtype()) &&
        launch_unary(op, out, self, checked.common_dtype()))
        return out;
    return on_cpu<Op>(self, out);
}

/* floor, ceil, trunc, round: for integers, these are copies. */
template <fd_unary_op op, class Meta, class Op>
at::Tensor &rounding_out(const at::Tensor &self, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self);
    if (c10::isIntegralType(self.scalar_type(), false))
        return out.copy_(self);
    if (!self.is_complex() && launch_unary(op, out, self, checked.common_dtype()))
        return out;
    return on_cpu<Op>(self, out);
}

at::Tensor &logical_not_out(const at::Tensor &self, at::Tensor &out)
{
    check_unary(out, self);
    if (launch_unary(FD_LOGICAL_NOT, out, self, self.scalar_type()))
        return out;
    return on_cpu<at::_ops::logical_not_out>(self, out);
}

at::Tensor &conj_physical_out(const at::Tensor &self, at::Tensor &out)
{
    check_unary(out, self);
    TORCH_CHECK(out.scalar_type() == self.scalar_type(), "Found dtype ", out.scalar_type(),
                " but expected ", self.scalar_type());
    if (launch_unary(FD_CONJ, out, self, self.scalar_type()))
        return out;
    return on_cpu<at::_ops::conj_physical_out>(self, out);
}

/* Core's own implementation would use a DispatchStub that is not registered for this device. */
at::Tensor &conj_physical_(at::Tensor &self)
{
    return self.is_complex() ? fakedev::conj_physical_out(self, self) : self;
}

at::Tensor relu(const at::Tensor &self)
{
    TORCH_CHECK(self.scalar_type() != at::kBool, "Boolean inputs not supported for relu");
    at::Tensor out = at::empty_like(self);

    if (!self.is_complex() && launch_unary(FD_RELU, out, self, self.scalar_type()))
        return out;
    return on_cpu<at::_ops::relu>(self);
}

at::Tensor &relu_(at::Tensor &self)
{
    TORCH_CHECK(self.scalar_type() != at::kBool, "Boolean inputs not supported for relu");
    at::assert_no_internal_overlap(self);
    if (!self.is_complex() && launch_unary(FD_RELU, self, self, self.scalar_type()))
        return self;
    return on_cpu<at::_ops::relu_>(self);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    /* "using" is not possible: this namespace contains a class named std */
    namespace ops = at::_ops;
    m.impl("bitwise_not.out",
           unary_out<FD_BITWISE_NOT, at::meta::structured_bitwise_not, ops::bitwise_not_out>);
    m.impl("cos.out", unary_out<FD_COS, at::meta::structured_cos, ops::cos_out>);
    m.impl("erf.out", unary_out<FD_ERF, at::meta::structured_erf, ops::erf_out>);
    m.impl("exp.out", unary_out<FD_EXP, at::meta::structured_exp, ops::exp_out>);
    m.impl("log.out", unary_out<FD_LOG, at::meta::structured_log, ops::log_out>);
    m.impl("neg.out", unary_out<FD_NEG, at::meta::structured_neg, ops::neg_out>);
    m.impl("reciprocal.out",
           unary_out<FD_RECIPROCAL, at::meta::structured_reciprocal, ops::reciprocal_out>);
    m.impl("rsqrt.out", unary_out<FD_RSQRT, at::meta::structured_rsqrt, ops::rsqrt_out>);
    m.impl("sigmoid.out", unary_out<FD_SIGMOID, at::meta::structured_sigmoid, ops::sigmoid_out>);
    m.impl("sign.out", unary_out<FD_SIGN, at::meta::structured_sign, ops::sign_out>);
    m.impl("sin.out", unary_out<FD_SIN, at::meta::structured_sin, ops::sin_out>);
    m.impl("sqrt.out", unary_out<FD_SQRT, at::meta::structured_sqrt, ops::sqrt_out>);
    m.impl("tanh.out", unary_out<FD_TANH, at::meta::structured_tanh, ops::tanh_out>);
    m.impl("ceil.out", rounding_out<FD_CEIL, at::meta::structured_ceil, ops::ceil_out>);
    m.impl("floor.out", rounding_out<FD_FLOOR, at::meta::structured_floor, ops::floor_out>);
    m.impl("round.out", rounding_out<FD_ROUND, at::meta::structured_round, ops::round_out>);
    m.impl("trunc.out", rounding_out<FD_TRUNC, at::meta::structured_trunc, ops::trunc_out>);
    m.impl("logical_not.out", TORCH_FN(logical_not_out));
    m.impl("conj_physical.out", TORCH_FN(conj_physical_out));
    m.impl("conj_physical_", TORCH_FN(conj_physical_));
    m.impl("relu", TORCH_FN(relu));
    m.impl("relu_", TORCH_FN(relu_));
}

} // namespace fakedev
