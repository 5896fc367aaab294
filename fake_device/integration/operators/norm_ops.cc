/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Batch norm and its running statistics. InstanceNorm updates its statistics through the same
 * operator.
 *
 * If this file is removed, training looks correct and evaluation is wrong. The CPU fallback
 * writes back only arguments that the schema marks as written. The schema of native_batch_norm
 * marks no argument, so the CPU updates copies, and the fallback discards these copies.
 * Implementation: calls the variant of the operator that has a correct schema.
 * Serves: OPS-078.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "cpu_fallback.h"

namespace fakedev
{
namespace
{

using Optional = std::optional<at::Tensor>;
using Normalized = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

bool is_given(const Optional &tensor)
{
    return tensor && tensor->defined();
}

Normalized normalized(const at::Tensor &input, const Optional &weight, const Optional &bias,
                      const Optional &mean, const Optional &variance, bool training,
                      double momentum, double eps)
{
    if (!is_given(mean) || !is_given(variance))
        return on_cpu<at::_ops::_native_batch_norm_legit_no_stats>(input, weight, bias, training,
                                                                   momentum, eps);
    at::Tensor running_mean = *mean, running_variance = *variance;
    return on_cpu<at::_ops::_native_batch_norm_legit>(input, weight, bias, running_mean,
                                                      running_variance, training, momentum, eps);
}

std::tuple<at::Tensor &, at::Tensor &, at::Tensor &>
normalized_out(const at::Tensor &input, const Optional &weight, const Optional &bias,
               const Optional &mean, const Optional &variance, bool training, double momentum,
               double eps, at::Tensor &out, at::Tensor &save_mean, at::Tensor &save_invstd)
{
    if (!is_given(mean) || !is_given(variance))
        return on_cpu<at::_ops::_native_batch_norm_legit_no_stats_out>(
            input, weight, bias, training, momentum, eps, out, save_mean, save_invstd);
    at::Tensor running_mean = *mean, running_variance = *variance;
    return on_cpu<at::_ops::_native_batch_norm_legit_out>(input, weight, bias, running_mean,
                                                          running_variance, training, momentum, eps,
                                                          out, save_mean, save_invstd);
}

/* This operator has no variant with a correct schema. */
std::tuple<at::Tensor, at::Tensor> update_statistics(const at::Tensor &input, const Optional &mean,
                                                     const Optional &variance, double momentum)
{
    const auto on_host = [](const Optional &tensor) {
        return is_given(tensor) ? Optional(tensor->cpu()) : std::nullopt;
    };
    const Optional host_mean = on_host(mean), host_variance = on_host(variance);
    const auto result =
        at::batch_norm_update_stats(input.cpu(), host_mean, host_variance, momentum);
    if (host_mean)
        mean->copy_(*host_mean);
    if (host_variance)
        variance->copy_(*host_variance);
    return {std::get<0>(result).to(input.device()), std::get<1>(result).to(input.device())};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("native_batch_norm", TORCH_FN(normalized));
    m.impl("native_batch_norm.out", TORCH_FN(normalized_out));
    m.impl("batch_norm_update_stats", TORCH_FN(update_statistics));
}

} // namespace fakedev
