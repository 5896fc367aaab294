/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults: operators that accept what PyTorch refuses, or that ignore an argument.
 */
#include "spoil.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace fakedev
{

namespace
{

void take_the_shorter(const Call &call)
{
    const at::Tensor self = call.named("self")->toTensor();
    const at::Tensor other = call.named("tensor")->toTensor();
    if (self.dim() != 1 || other.dim() != 1)
        return;
    const int64_t length = std::min(self.size(0), other.size(0));
    *call.named("self") = self.narrow(0, 0, length);
    *call.named("tensor") = other.narrow(0, 0, length);
}

void wrap_dim(const Call &call)
{
    const int64_t dims = std::max<int64_t>(call.named("self")->toTensor().dim(), 1);
    *call.named("dim") = call.named("dim")->toInt() % dims;
}

void cast_values(const Call &call)
{
    const at::Tensor self = call.named("self")->toTensor();
    *call.named("values") = call.named("values")->toTensor().to(self.scalar_type());
}

void cast_to_output(const Call &call)
{
    const at::Tensor out = call.named("out")->toTensor();
    *call.named("self") = call.named("self")->toTensor().to(out.scalar_type());
}

void take_any_flag(const Call &call)
{
    const at::Tensor found = call.named("found_inf")->toTensor();
    *call.named("found_inf") = found.reshape({-1}).narrow(0, 0, 1).to(at::kFloat);
}

void keep_the_first_dtype(const Call &call)
{
    const at::Tensor self = call.named("self")->toTensor();
    *call.named("other") = call.named("other")->toTensor().to(self.scalar_type());
}

void leave_out_value(const Call &call)
{
    *call.named("value") = 1;
}

void leave_out_beta(const Call &call)
{
    *call.named("beta") = 1.0;
}

} // namespace

Spoils spoiled_refusals()
{
    return {
        {"amp.flag_of_any_kind_taken", "aten::_amp_update_scale_", key, before(take_any_flag)},
        {"ops.dot_takes_the_shorter", "aten::dot", key, before(take_the_shorter)},
        {"ops.factor_left_out", "aten::addcmul.out", key, before(leave_out_value)},
        {"ops.index_put_casts", "aten::_index_put_impl_", key, before(cast_values)},
        {"ops.index_select_wraps_dim", "aten::index_select", key, before(wrap_dim)},
        {"ops.loss_ignores_beta", "aten::smooth_l1_loss", key, before(leave_out_beta)},
        {"ops.masked_select_casts", "aten::masked_select.out", key, before(cast_to_output)},
        {"ops.where_keeps_the_first_dtype", "aten::where.self", key, before(keep_the_first_dtype)},
    };
}

} // namespace fakedev
