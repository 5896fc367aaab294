/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reductions: sum, mean, prod, amax, all, argmax, max over a dim, cumsum, ...
 *
 * Purpose: losses, norms, statistics, comparisons. The meta classes determine the shape and dtype
 * of the result (integer sums are int64).
 * If this file is removed, these operators run through the CPU fallback.
 * Serves: OPS-067, OPS-069, OPS-074, OPS-077, AMP-011.
 */
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/ops/all_meta.h>
#include <ATen/ops/amax_meta.h>
#include <ATen/ops/amin_meta.h>
#include <ATen/ops/any_meta.h>
#include <ATen/ops/argmax_meta.h>
#include <ATen/ops/argmin_meta.h>
#include <ATen/ops/cumsum_meta.h>
#include <ATen/ops/max_meta.h>
#include <ATen/ops/mean_meta.h>
#include <ATen/ops/min_meta.h>
#include <ATen/ops/prod_meta.h>
#include <ATen/ops/sum_meta.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "status.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* Returns a view of `out` in which the reduced dims have size 1, as the driver requires. If `dims`
 * is empty, all dims are reduced. */
at::Tensor with_kept_dims(at::Tensor out, const at::Tensor &self, at::OptionalIntArrayRef dims,
                          bool keepdim)
{
    if (dims && dims->empty())
        dims = std::nullopt;
    const auto mask = at::dim_list_to_bitset(dims, self.dim());

    for (int64_t dim = 0; dim < self.dim() && !keepdim; dim++)
        if (mask[static_cast<size_t>(dim)])
            out = out.unsqueeze(dim);
    return out;
}

/* `in` must have the dtype in which to compute. Returns false if the device does not support the
 * reduction. */
bool reduce(fd_reduce_op op, const at::Tensor &out, const at::Tensor &in)
{
    if (in.dim() > FD_MAX_DIMS || !device_computes(in.scalar_type()) ||
        !device_computes(out.scalar_type()))
        return false;
    const KernelScope scope(out);
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor from = describe_input(in);
    const fd_status status = fd_kernel_reduce(scope.stream(), op, &to, &from);
    if (status != FD_ERROR_NOT_SUPPORTED)
        check(status, "reduce");
    return status == FD_OK;
}

bool reduce_dims(fd_reduce_op op, const at::Tensor &out, const at::Tensor &self,
                 at::OptionalIntArrayRef dims, bool keepdim, at::ScalarType dtype)
{
    if (!device_computes(self.scalar_type()) || !device_computes(dtype))
        return false;
    return reduce(op, with_kept_dims(out, self, dims, keepdim), self.to(dtype));
}

template <fd_reduce_op op, class Meta, class Op>
at::Tensor &summing_out(const at::Tensor &self, at::OptionalIntArrayRef dims, bool keepdim,
                        std::optional<at::ScalarType> dtype, at::Tensor &out)
{
    Structured<Meta>(out).meta(self, dims, keepdim, dtype);
    if (out.numel() == 0 || reduce_dims(op, out, self, dims, keepdim, out.scalar_type()))
        return out;
    return on_cpu<Op>(self, dims, keepdim, dtype, out);
}

at::Tensor &prod_out(const at::Tensor &self, int64_t dim, bool keepdim,
                     std::optional<at::ScalarType> dtype, at::Tensor &out)
{
    Structured<at::meta::structured_prod_dim_int>(out).meta(self, dim, keepdim, dtype);
    if (out.numel() == 0 || reduce_dims(FD_PROD, out, self, dim, keepdim, out.scalar_type()))
        return out;
    return on_cpu<at::_ops::prod_int_out>(self, dim, keepdim, dtype, out);
}

at::Tensor prod_all(const at::Tensor &self, std::optional<at::ScalarType> dtype)
{
    return at::prod(self.reshape({-1}), 0, false, dtype);
}

template <fd_reduce_op op, class Meta, class Op>
at::Tensor &extreme_out(const at::Tensor &self, at::IntArrayRef dims, bool keepdim, at::Tensor &out)
{
    Structured<Meta>(out).meta(self, dims, keepdim);
    if (self.numel() > 0 && reduce_dims(op, out, self, dims, keepdim, self.scalar_type()))
        return out;
    return on_cpu<Op>(self, dims, keepdim, out);
}

/* all and any. For a byte tensor, the result is a byte tensor, which only the CPU computes. */
template <fd_reduce_op op, class Meta, class Op>
at::Tensor &logical_dim_out(const at::Tensor &self, int64_t dim, bool keepdim, at::Tensor &out)
{
    Structured<Meta>(out).meta(self, dim, keepdim);
    if (out.scalar_type() == at::kBool && self.scalar_type() != at::kByte &&
        reduce_dims(op, out, self, dim, keepdim, self.scalar_type()))
        return out;
    return on_cpu<Op>(self, dim, keepdim, out);
}

template <fd_reduce_op op, class Meta, class Op>
at::Tensor &logical_all_out(const at::Tensor &self, at::Tensor &out)
{
    Structured<Meta>(out).meta(self);
    if (out.scalar_type() == at::kBool && self.scalar_type() != at::kByte &&
        reduce_dims(op, out, self, std::nullopt, false, self.scalar_type()))
        return out;
    return on_cpu<Op>(self, out);
}

template <fd_reduce_op op, class Meta, class Op>
at::Tensor &position_out(const at::Tensor &self, std::optional<int64_t> dim, bool keepdim,
                         at::Tensor &out)
{
    Structured<Meta>(out).meta(self, dim, keepdim);
    const auto dims = dim ? at::OptionalIntArrayRef(*dim) : at::OptionalIntArrayRef();
    if (self.numel() > 0 && reduce_dims(op, out, self, dims, keepdim, self.scalar_type()))
        return out;
    return on_cpu<Op>(self, dim, keepdim, out);
}

template <fd_reduce_op value_op, fd_reduce_op index_op, class Meta, class Op>
std::tuple<at::Tensor &, at::Tensor &> extreme_dim_out(const at::Tensor &self, int64_t dim,
                                                       bool keepdim, at::Tensor &values,
                                                       at::Tensor &indices)
{
    Structured<Meta>(values, indices).meta(self, dim, keepdim);
    if (self.numel() > 0 && reduce_dims(value_op, values, self, dim, keepdim, self.scalar_type()) &&
        reduce_dims(index_op, indices, self, dim, keepdim, self.scalar_type()))
        return {values, indices};
    return on_cpu<Op>(self, dim, keepdim, values, indices);
}

template <at::Tensor (*function)(const at::Tensor &, at::IntArrayRef, bool)>
at::Tensor extreme_all(const at::Tensor &self)
{
    TORCH_CHECK(self.numel() > 0, "Expected reduction dim to be specified for input.numel() == 0. "
                                  "Specify the reduction dim with the 'dim' argument.");
    return function(self, at::IntArrayRef{}, false);
}

at::Tensor &cumsum_out(const at::Tensor &self, int64_t dim, std::optional<at::ScalarType> dtype,
                       at::Tensor &out)
{
    Structured<at::meta::structured_cumsum>(out).meta(self, dim, dtype);
    at::assert_no_partial_overlap(out, self);
    if (out.numel() == 0)
        return out;
    const bool fits = self.dim() > 0 && self.dim() <= FD_MAX_DIMS &&
                      device_computes(self.scalar_type()) && device_computes(out.scalar_type());
    if (!fits)
        return on_cpu<at::_ops::cumsum_out>(self, dim, dtype, out);
    const KernelScope scope(out);
    const at::Tensor in = self.to(out.scalar_type());
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor from = describe_input(in);
    const auto axis = static_cast<int32_t>(at::maybe_wrap_dim(dim, self.dim()));
    const fd_status status = fd_kernel_cumsum(scope.stream(), &to, &from, axis);
    if (status == FD_ERROR_NOT_SUPPORTED)
        return on_cpu<at::_ops::cumsum_out>(self, dim, dtype, out);
    check(status, "cumsum");
    return out;
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    using namespace at::meta;
    /* "using" is not possible: this namespace contains a class named std */
    namespace ops = at::_ops;
    m.impl("sum.IntList_out",
           summing_out<FD_SUM, structured_sum_dim_IntList, ops::sum_IntList_out>);
    m.impl("mean.out", summing_out<FD_MEAN, structured_mean_dim, ops::mean_out>);
    m.impl("prod.int_out", TORCH_FN(prod_out));
    m.impl("prod", TORCH_FN(prod_all));
    m.impl("amax.out", extreme_out<FD_MAX, structured_amax, ops::amax_out>);
    m.impl("amin.out", extreme_out<FD_MIN, structured_amin, ops::amin_out>);
    m.impl("all.out", logical_dim_out<FD_ALL, structured_all_dim, ops::all_out>);
    m.impl("any.out", logical_dim_out<FD_ANY, structured_any_dim, ops::any_out>);
    m.impl("all.all_out", logical_all_out<FD_ALL, structured_all, ops::all_all_out>);
    m.impl("any.all_out", logical_all_out<FD_ANY, structured_any, ops::any_all_out>);
    m.impl("argmax.out", position_out<FD_ARGMAX, structured_argmax, ops::argmax_out>);
    m.impl("argmin.out", position_out<FD_ARGMIN, structured_argmin, ops::argmin_out>);
    m.impl("max.dim_max", extreme_dim_out<FD_MAX, FD_ARGMAX, structured_max_dim, ops::max_dim_max>);
    m.impl("min.dim_min", extreme_dim_out<FD_MIN, FD_ARGMIN, structured_min_dim, ops::min_dim_min>);
    m.impl("max", extreme_all<at::amax>);
    m.impl("min", extreme_all<at::amin>);
    m.impl("cumsum.out", TORCH_FN(cumsum_out));
}

} // namespace fakedev
