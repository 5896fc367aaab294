/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sums, products and indices that are right for few elements or usual arguments, but wrong for
 * many elements or unusual arguments.
 */
#include "spoil.h"

#include <ATen/ATen.h>

namespace fakedev
{

namespace
{

at::Tensor tensor(const Call &call, const char *name)
{
    return call.named(name)->toTensor();
}

void stop_at_many(const Call &call)
{
    constexpr int64_t kMany = 1 << 17;
    const at::Tensor self = tensor(call, "self");
    if (self.dim() > 0 && self.size(-1) > kMany)
        *call.named("self") = self.narrow(-1, 0, kMany);
}

void wrap_int32(const Call &call)
{
    const bool is_int32 = tensor(call, "self").scalar_type() == at::kInt;
    call.clean();
    const at::Tensor sum = call.result().toTensor();
    if (is_int32 && sum.scalar_type() == at::kLong)
        sum.copy_(sum.to(at::kInt));
}

void drop_the_imaginary_part(const Call &call)
{
    const at::Scalar alpha = call.named("alpha")->toScalar();
    if (alpha.isComplex())
        *call.named("alpha") = alpha.toComplexDouble().real();
}

void add_beta_for_each_tile(const Call &call)
{
    constexpr int64_t kTile = 128;
    const at::Tensor self = tensor(call, "self"), out = tensor(call, "out");
    const bool is_tiled = tensor(call, "mat1").size(1) > kTile && self.is_floating_point();
    const at::Scalar beta = call.named("beta")->toScalar();
    call.clean();
    if (is_tiled)
        out.add_(self, beta);
}

void round_the_index(const Call &call)
{
    *call.named("index") = tensor(call, "index").to(at::kFloat).to(at::kLong);
}

void detach_the_state(const Call &call)
{
    *call.named("hx") = tensor(call, "hx").detach();
}

} // namespace

Spoils spoiled_sums()
{
    return {
        {"ops.beta_counts_for_each_tile", "aten::addmm.out", key, add_beta_for_each_tile},
        {"ops.complex_factor_is_real", "aten::add.out", key, before(drop_the_imaginary_part)},
        {"ops.index_is_a_float32", "aten::index_select", key, before(round_the_index)},
        {"ops.integer_sum_wraps", "aten::sum.IntList_out", key, wrap_int32},
        {"ops.state_of_a_layer_has_no_gradient", "aten::gru.input",
         c10::DispatchKey::AutogradPrivateUse1, before(detach_the_state), true},
        {"ops.sum_of_many_stops", "aten::sum.IntList_out", key, before(stop_at_many)},
    };
}

} // namespace fakedev
