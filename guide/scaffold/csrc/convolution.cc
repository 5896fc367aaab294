/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Convolution on the CPU. PyTorch calls "overrideable" operators, which only raise, so they never
 * reach the fallback.
 */
#include "foo.h"

#include <ATen/core/op_registration/adaption.h>
#include <torch/library.h>

namespace foo
{

namespace
{

using Bias = std::optional<at::Tensor>;
using Gradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

/* Checked here, because the copies on the CPU no longer show the original device. */
void expect_one_device(const at::Tensor &input, const at::Tensor &weight, const Bias &bias)
{
    std::optional<c10::Device> common;
    c10::impl::check_and_update_common_device(common, input, "convolution", "input");
    c10::impl::check_and_update_common_device(common, weight, "convolution", "weight");
    c10::impl::check_and_update_common_device(common, bias, "convolution", "bias");
}

Bias on_host(const Bias &bias)
{
    return bias && bias->defined() ? Bias(bias->cpu()) : std::nullopt;
}

at::Tensor convolved(const at::Tensor &input, const at::Tensor &weight, const Bias &bias,
                     at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                     bool transposed, at::IntArrayRef output_padding, int64_t groups)
{
    expect_one_device(input, weight, bias);
    return at::convolution(input.cpu(), weight.cpu(), on_host(bias), stride, padding, dilation,
                           transposed, output_padding, groups)
        .to(input.device());
}

/* A gradient that was not requested is undefined. */
at::Tensor sent(const at::Tensor &gradient, c10::Device device)
{
    return gradient.defined() ? gradient.to(device) : gradient;
}

Gradients gradients(const at::Tensor &output, const at::Tensor &input, const at::Tensor &weight,
                    at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                    bool transposed, at::IntArrayRef output_padding, int64_t groups,
                    std::array<bool, 3> wanted)
{
    const int64_t channels = output.size(1);
    expect_one_device(input, weight, output);
    const auto [of_input, of_weight, of_bias] = at::convolution_backward(
        output.cpu(), input.cpu(), weight.cpu(), at::IntArrayRef(channels), stride, padding,
        dilation, transposed, output_padding, groups, wanted);

    return {sent(of_input, input.device()), sent(of_weight, input.device()),
            sent(of_bias, input.device())};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("convolution_overrideable", TORCH_FN(convolved));
    m.impl("convolution_backward_overrideable", TORCH_FN(gradients));
}

} // namespace foo
