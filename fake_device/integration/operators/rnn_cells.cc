/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fused LSTM and GRU cells with their backward.
 *
 * Purpose: nn.LSTM and nn.GRU use these operators on every device except the CPU. If this file is
 * removed, nn.LSTM and nn.GRU raise a NotImplementedError that names backend 'CPU', because the
 * fallback finds no CPU kernel under these names. (A plain nn.RNN works.)
 * Implementation: the workspace holds the values that forward saves for backward. This file defines
 * the layout of the workspace.
 * Serves: OPS-051, AMP-009.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

using OptionalTensor = std::optional<at::Tensor>;

bool given(const OptionalTensor &tensor)
{
    return tensor && tensor->defined();
}

at::Tensor with_bias(const at::Tensor &gates, const OptionalTensor &bias)
{
    return given(bias) ? gates.add(*bias) : gates;
}

at::Tensor one_minus(const at::Tensor &tensor)
{
    return at::rsub(tensor, 1);
}

/* The derivatives of sigmoid and tanh, computed from their values. */
at::Tensor sigmoid_slope(const at::Tensor &y)
{
    return y.mul(one_minus(y));
}

at::Tensor tanh_slope(const at::Tensor &y)
{
    return one_minus(y.mul(y));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
lstm_cell(const at::Tensor &input_gates, const at::Tensor &hidden_gates, const at::Tensor &cx,
          const OptionalTensor &input_bias, const OptionalTensor &hidden_bias)
{
    const KernelScope scope(cx);
    const auto gates =
        with_bias(input_gates, input_bias).add(with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
    const at::Tensor in = gates[0].sigmoid();
    const at::Tensor forget = gates[1].sigmoid();
    const at::Tensor cell = gates[2].tanh();
    const at::Tensor out = gates[3].sigmoid();
    const at::Tensor cy = forget.mul(cx).add(in.mul(cell));
    return {out.mul(cy.tanh()), cy, at::cat({in, forget, cell, out}, 1)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
lstm_cell_backward(const OptionalTensor &grad_hy, const OptionalTensor &grad_cy,
                   const at::Tensor &cx, const at::Tensor &cy, const at::Tensor &workspace,
                   bool has_bias)
{
    if (!given(grad_hy) && !given(grad_cy))
        return {};
    const KernelScope scope(cx);
    const auto gates = workspace.chunk(4, 1);
    const at::Tensor &in = gates[0], &forget = gates[1], &cell = gates[2], &out = gates[3];
    const at::Tensor tanh_cy = cy.tanh();
    const at::Tensor grad_h = given(grad_hy) ? *grad_hy : at::zeros_like(cy);
    at::Tensor grad_c = grad_h.mul(out).mul(tanh_slope(tanh_cy));

    if (given(grad_cy))
        grad_c = grad_c.add(*grad_cy);
    const at::Tensor grad_gates =
        at::cat({grad_c.mul(cell).mul(sigmoid_slope(in)), grad_c.mul(cx).mul(sigmoid_slope(forget)),
                 grad_c.mul(in).mul(tanh_slope(cell)), grad_h.mul(tanh_cy).mul(sigmoid_slope(out))},
                1);
    return {grad_gates, grad_c.mul(forget), has_bias ? grad_gates.sum(0, false) : at::Tensor()};
}

/* Contents of the workspace: reset, update, new, hx and the hidden part of the new gate. */
std::tuple<at::Tensor, at::Tensor> gru_cell(const at::Tensor &input_gates,
                                            const at::Tensor &hidden_gates, const at::Tensor &hx,
                                            const OptionalTensor &input_bias,
                                            const OptionalTensor &hidden_bias)
{
    const KernelScope scope(hx);
    const auto from_input = with_bias(input_gates, input_bias).chunk(3, 1);
    const auto from_hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
    const at::Tensor reset = from_input[0].add(from_hidden[0]).sigmoid();
    const at::Tensor update = from_input[1].add(from_hidden[1]).sigmoid();
    const at::Tensor fresh = from_input[2].add(reset.mul(from_hidden[2])).tanh();
    return {fresh.add(update.mul(hx.sub(fresh))),
            at::cat({reset, update, fresh, hx, from_hidden[2]}, 1)};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
gru_cell_backward(const at::Tensor &grad_hy, const at::Tensor &workspace, bool has_bias)
{
    const KernelScope scope(grad_hy);
    const auto parts = workspace.chunk(5, 1);
    const at::Tensor &reset = parts[0], &update = parts[1], &fresh = parts[2], &hx = parts[3];
    const at::Tensor grad_fresh = grad_hy.mul(one_minus(update)).mul(tanh_slope(fresh));
    const at::Tensor grad_update = grad_hy.mul(hx.sub(fresh)).mul(sigmoid_slope(update));
    const at::Tensor grad_reset = grad_fresh.mul(parts[4]).mul(sigmoid_slope(reset));
    const at::Tensor grad_input = at::cat({grad_reset, grad_update, grad_fresh}, 1);
    const at::Tensor grad_hidden = at::cat({grad_reset, grad_update, grad_fresh.mul(reset)}, 1);
    return {grad_input, grad_hidden, grad_hy.mul(update),
            has_bias ? grad_input.sum(0, false) : at::Tensor(),
            has_bias ? grad_hidden.sum(0, false) : at::Tensor()};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
    m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
    m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
    m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
}

} // namespace fakedev
