/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The two operators of the gradient scaler.
 *
 * Purpose: torch.amp.GradScaler("fakedev") divides gradients by the scale and looks for inf and
 * NaN, then increases or decreases the scale. Everything stays on the device, and the host reads
 * one value per step.
 * If this file is removed, the CPU fallback copies every gradient twice.
 * Serves: AMP-024 to AMP-032, AMP-035.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "elementwise.h"

namespace fakedev
{
namespace
{

void check_one_float(const at::Tensor &tensor, const char *name)
{
    TORCH_CHECK(tensor.numel() == 1, name, " must be a 1-element tensor.");
    TORCH_CHECK(tensor.scalar_type() == at::kFloat, name, " must be a float tensor.");
}

at::Tensor is_finite(const at::Tensor &tensor)
{
    at::Tensor result = at::empty_like(tensor, tensor.options().dtype(at::kBool));
    return launch_unary(FD_IS_FINITE, result, tensor, tensor.scalar_type()) ? result
                                                                            : at::isfinite(tensor);
}

void non_finite_check_and_unscale_(at::TensorList gradients, at::Tensor &found_inf,
                                   const at::Tensor &inv_scale)
{
    check_one_float(found_inf, "found_inf");
    check_one_float(inv_scale, "inv_scale");
    for (const at::Tensor &gradient : gradients) {
        TORCH_CHECK(gradient.device() == found_inf.device() &&
                        inv_scale.device() == found_inf.device(),
                    "Expected all tensors to be on the same device: gradients, found_inf and "
                    "inv_scale of one call");
        TORCH_CHECK(gradient.layout() == at::kStrided,
                    "one of scaled_grads was not a strided tensor.");
        const KernelScope scope(gradient);
        at::Tensor writable = gradient;
        const at::Tensor bad = is_finite(gradient).all().logical_not().to(at::kFloat);
        found_inf.copy_(at::maximum(found_inf, bad));
        writable.mul_(inv_scale.reshape({}));
    }
}

at::Tensor &update_scale_(at::Tensor &scale, at::Tensor &growth_tracker,
                          const at::Tensor &found_inf, double growth_factor, double backoff_factor,
                          int64_t growth_interval)
{
    check_one_float(scale, "current_scale");
    check_one_float(found_inf, "found_inf");
    TORCH_CHECK(growth_tracker.numel() == 1 && growth_tracker.scalar_type() == at::kInt,
                "growth_tracker must be a 1-element int tensor.");
    const KernelScope scope(scale);
    const at::Tensor failed = found_inf.ne(0);
    const at::Tensor steps = growth_tracker.add(1);
    const at::Tensor grow = steps.eq(growth_interval).logical_and(failed.logical_not());
    const at::Tensor grown = scale.mul(growth_factor);
    const at::Tensor kept = at::where(grow.logical_and(is_finite(grown)), grown, scale);
    const at::Tensor next = at::where(failed, scale.mul(backoff_factor), kept);
    growth_tracker.copy_(at::where(failed.logical_or(grow), at::zeros_like(steps), steps));
    return scale.copy_(next);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_amp_foreach_non_finite_check_and_unscale_", TORCH_FN(non_finite_check_and_unscale_));
    m.impl("_amp_update_scale_", TORCH_FN(update_scale_));
}

} // namespace fakedev
