/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Losses whose result has a shape different from that of their inputs.
 *
 * Purpose: mse_loss and smooth_l1_loss. Core creates the 0-dim result and calls the `.out` form. If
 * this file is removed, that form runs through the CPU fallback. The CPU's loss first resizes `out`
 * to the shape of its input, so each call warns that an output was resized. This file builds the
 * losses from device kernels, so the CPU is not involved.
 * Serves: OPS-021, OPS-041, OPS-067.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "structured.h"

namespace fakedev
{
namespace
{

at::Tensor reduced(const at::Tensor &losses, int64_t reduction)
{
    if (reduction == at::Reduction::Mean)
        return losses.mean();
    return reduction == at::Reduction::Sum ? losses.sum() : losses;
}

at::Tensor &hand_out(const at::Tensor &result, at::Tensor &out)
{
    prepare_output(out, result.sizes(), result.strides(), result.options());
    return out.copy_(result);
}

at::Tensor squared_loss(const at::Tensor &self, const at::Tensor &target, int64_t reduction)
{
    const at::Tensor difference = self - target;
    return reduced(difference * difference, reduction);
}

at::Tensor &squared_loss_out(const at::Tensor &self, const at::Tensor &target, int64_t reduction,
                             at::Tensor &out)
{
    return hand_out(squared_loss(self, target, reduction), out);
}

at::Tensor smooth_loss(const at::Tensor &self, const at::Tensor &target, int64_t reduction,
                       double beta)
{
    TORCH_CHECK(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
    const at::Tensor distance = (self - target).abs();

    if (beta == 0)
        return reduced(distance, reduction);
    const at::Tensor near = distance * distance * (0.5 / beta);
    return reduced(at::where(distance < beta, near, distance - 0.5 * beta), reduction);
}

at::Tensor &smooth_loss_out(const at::Tensor &self, const at::Tensor &target, int64_t reduction,
                            double beta, at::Tensor &out)
{
    return hand_out(smooth_loss(self, target, reduction, beta), out);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("mse_loss", TORCH_FN(squared_loss));
    m.impl("mse_loss.out", TORCH_FN(squared_loss_out));
    m.impl("smooth_l1_loss", TORCH_FN(smooth_loss));
    m.impl("smooth_l1_loss.out", TORCH_FN(smooth_loss_out));
}

} // namespace fakedev
