/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Comparisons and logic: eq, lt, logical_and, ...
 *
 * Purpose: masks, assert_close, torch.equal and printing use eq and ne.
 * If this file is removed, these operators run through the CPU fallback. A backend that has no
 * fallback cannot even print a tensor.
 * Serves: OPS-033, OPS-042, OPS-054, OPS-069.
 */
#include <ATen/ops/eq_meta.h>
#include <ATen/ops/ge_meta.h>
#include <ATen/ops/gt_meta.h>
#include <ATen/ops/le_meta.h>
#include <ATen/ops/lt_meta.h>
#include <ATen/ops/ne_meta.h>
#include <torch/library.h>

#include "elementwise.h"

namespace fakedev
{
namespace
{

template <fd_binary_op op, class Meta, class Op>
at::Tensor &compare_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, other);
    if (launch_binary(op, out, self, other, checked.common_dtype()))
        return out;
    return on_cpu<Op>(self, other, out);
}

/* The scalar takes part in type promotion: if x is an integer tensor, x == 2.5 compares floats. */
template <fd_binary_op op, class Meta, class Op>
at::Tensor &compare_scalar_out(const at::Tensor &self, const at::Scalar &other, at::Tensor &out)
{
    Structured<Meta> checked(out);
    checked.meta(self, other);
    const at::ScalarType dtype = checked.common_dtype();
    if (device_computes(dtype) &&
        launch_binary(op, out, self, scalar_on_device(other, dtype, out.device()), dtype))
        return out;
    return on_cpu<Op>(self, other, out);
}

template <fd_binary_op op, class Op>
at::Tensor &logical_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    const at::TensorIterator checked = check_binary(out, self, other);
    if (launch_binary(op, out, self, other, checked.common_dtype()))
        return out;
    return on_cpu<Op>(self, other, out);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    using namespace at::meta;
    /* "using" is not possible: this namespace contains a class named std */
    namespace ops = at::_ops;
    m.impl("eq.Tensor_out", compare_out<FD_EQ, structured_eq_Tensor, ops::eq_Tensor_out>);
    m.impl("ne.Tensor_out", compare_out<FD_NE, structured_ne_Tensor, ops::ne_Tensor_out>);
    m.impl("lt.Tensor_out", compare_out<FD_LT, structured_lt_Tensor, ops::lt_Tensor_out>);
    m.impl("le.Tensor_out", compare_out<FD_LE, structured_le_Tensor, ops::le_Tensor_out>);
    m.impl("gt.Tensor_out", compare_out<FD_GT, structured_gt_Tensor, ops::gt_Tensor_out>);
    m.impl("ge.Tensor_out", compare_out<FD_GE, structured_ge_Tensor, ops::ge_Tensor_out>);
    m.impl("eq.Scalar_out", compare_scalar_out<FD_EQ, structured_eq_Scalar, ops::eq_Scalar_out>);
    m.impl("ne.Scalar_out", compare_scalar_out<FD_NE, structured_ne_Scalar, ops::ne_Scalar_out>);
    m.impl("lt.Scalar_out", compare_scalar_out<FD_LT, structured_lt_Scalar, ops::lt_Scalar_out>);
    m.impl("le.Scalar_out", compare_scalar_out<FD_LE, structured_le_Scalar, ops::le_Scalar_out>);
    m.impl("gt.Scalar_out", compare_scalar_out<FD_GT, structured_gt_Scalar, ops::gt_Scalar_out>);
    m.impl("ge.Scalar_out", compare_scalar_out<FD_GE, structured_ge_Scalar, ops::ge_Scalar_out>);
    m.impl("logical_and.out", logical_out<FD_LOGICAL_AND, ops::logical_and_out>);
    m.impl("logical_or.out", logical_out<FD_LOGICAL_OR, ops::logical_or_out>);
    m.impl("logical_xor.out", logical_out<FD_LOGICAL_XOR, ops::logical_xor_out>);
}

} // namespace fakedev
