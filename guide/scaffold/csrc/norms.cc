/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Batch norm on the CPU. native_batch_norm, its form with out= and batch_norm_update_stats write
 * the running statistics, but their schemas do not declare this write, so the fallback would update
 * copies.
 */
#include "foo.h"

#include <torch/library.h>

namespace foo
{

namespace
{

using Optional = std::optional<at::Tensor>;

bool is_given(const Optional &tensor)
{
    return tensor && tensor->defined();
}

/* Calls an equivalent operator whose schema declares the write to the running statistics. */
std::tuple<at::Tensor, at::Tensor, at::Tensor>
normalized(const at::Tensor &input, const Optional &weight, const Optional &bias,
           const Optional &mean, const Optional &variance, bool training, double momentum,
           double eps)
{
    if (!is_given(mean) || !is_given(variance))
        return at::_native_batch_norm_legit(input, weight, bias, training, momentum, eps);
    at::Tensor running_mean = *mean, running_variance = *variance;
    return at::_native_batch_norm_legit(input, weight, bias, running_mean, running_variance,
                                        training, momentum, eps);
}

std::tuple<at::Tensor &, at::Tensor &, at::Tensor &>
normalized_out(const at::Tensor &input, const Optional &weight, const Optional &bias,
               const Optional &mean, const Optional &variance, bool training, double momentum,
               double eps, at::Tensor &out, at::Tensor &save_mean, at::Tensor &save_invstd)
{
    if (!is_given(mean) || !is_given(variance))
        return at::_native_batch_norm_legit_out(out, save_mean, save_invstd, input, weight, bias,
                                                training, momentum, eps);
    at::Tensor running_mean = *mean, running_variance = *variance;
    return at::_native_batch_norm_legit_out(out, save_mean, save_invstd, input, weight, bias,
                                            running_mean, running_variance, training, momentum,
                                            eps);
}

Optional on_host(const Optional &tensor)
{
    return is_given(tensor) ? Optional(tensor->cpu()) : std::nullopt;
}

std::tuple<at::Tensor, at::Tensor> updated(const at::Tensor &input, const Optional &mean,
                                           const Optional &variance, double momentum)
{
    const Optional host_mean = on_host(mean), host_variance = on_host(variance);
    const auto [batch_mean, batch_variance] =
        at::batch_norm_update_stats(input.cpu(), host_mean, host_variance, momentum);
    if (host_mean)
        mean->copy_(*host_mean);
    if (host_variance)
        variance->copy_(*host_variance);
    return {batch_mean.to(input.device()), batch_variance.to(input.device())};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("native_batch_norm", TORCH_FN(normalized));
    m.impl("native_batch_norm.out", TORCH_FN(normalized_out));
    m.impl("batch_norm_update_stats", TORCH_FN(updated));
}

} // namespace foo
