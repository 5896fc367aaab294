/* SPDX-License-Identifier: BSD-3-Clause
 *
 * softmax and log_softmax, forward and backward, composed of device kernels.
 *
 * Purpose: attention, cross entropy. 16-bit inputs are computed in float32.
 * If this file is removed, these operators run through the CPU fallback.
 * Serves: OPS-070, AGRD-031, AMP-011.
 */
#include <ATen/ops/_log_softmax_backward_data_meta.h>
#include <ATen/ops/_log_softmax_meta.h>
#include <ATen/ops/_softmax_backward_data_meta.h>
#include <ATen/ops/_softmax_meta.h>
#include <torch/library.h>

#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

at::Tensor widened(const at::Tensor &tensor)
{
    return tensor.scalar_type() == at::kDouble ? tensor : tensor.to(at::kFloat);
}

at::Tensor &softmax_out(const at::Tensor &self, int64_t dim, bool half_to_float, at::Tensor &out)
{
    Structured<at::meta::structured__softmax>(out).meta(self, dim, half_to_float);
    if (out.numel() == 0)
        return out;
    const KernelScope scope(out);
    const at::Tensor in = widened(self);
    const at::Tensor powers = at::exp(at::sub(in, at::amax(in, dim, true)));
    return out.copy_(at::div(powers, at::sum(powers, dim, true)));
}

at::Tensor &log_softmax_out(const at::Tensor &self, int64_t dim, bool half_to_float,
                            at::Tensor &out)
{
    Structured<at::meta::structured__log_softmax>(out).meta(self, dim, half_to_float);
    if (out.numel() == 0)
        return out;
    const KernelScope scope(out);
    const at::Tensor in = widened(self);
    const at::Tensor shifted = at::sub(in, at::amax(in, dim, true));
    return out.copy_(at::sub(shifted, at::log(at::sum(at::exp(shifted), dim, true))));
}

at::Tensor &softmax_backward_out(const at::Tensor &gradient, const at::Tensor &output, int64_t dim,
                                 at::ScalarType dtype, at::Tensor &out)
{
    Structured<at::meta::structured__softmax_backward_data>(out).meta(gradient, output, dim, dtype);
    if (out.numel() == 0)
        return out;
    const KernelScope scope(out);
    const at::Tensor y = widened(output);
    const at::Tensor product = at::mul(widened(gradient), y);
    return out.copy_(at::sub(product, at::mul(y, at::sum(product, dim, true))));
}

at::Tensor &log_softmax_backward_out(const at::Tensor &gradient, const at::Tensor &output,
                                     int64_t dim, at::ScalarType dtype, at::Tensor &out)
{
    Structured<at::meta::structured__log_softmax_backward_data>(out).meta(gradient, output, dim,
                                                                          dtype);
    if (out.numel() == 0)
        return out;
    const KernelScope scope(out);
    const at::Tensor g = widened(gradient);
    return out.copy_(at::sub(g, at::mul(at::exp(widened(output)), at::sum(g, dim, true))));
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_softmax.out", TORCH_FN(softmax_out));
    m.impl("_log_softmax.out", TORCH_FN(log_softmax_out));
    m.impl("_softmax_backward_data.out", TORCH_FN(softmax_backward_out));
    m.impl("_log_softmax_backward_data.out", TORCH_FN(log_softmax_backward_out));
}

} // namespace fakedev
