/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LSTM and GRU cells. PyTorch uses fused cells for PrivateUse1, and the CPU has no kernel under
 * those names, so the fallback cannot compute them. This file composes the cells from other
 * operators.
 */
#include "foo.h"

#include <torch/library.h>

namespace foo
{

namespace
{

using at::Tensor;
using Optional = std::optional<Tensor>;
using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using Five = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

bool is_given(const Optional &tensor)
{
    return tensor && tensor->defined();
}

Tensor with_bias(const Tensor &gates, const Optional &bias)
{
    return is_given(bias) ? gates + *bias : gates;
}

/* Order of the gates: input, forget, cell, output. The workspace keeps them for backward. */
Three lstm_cell(const Tensor &input_gates, const Tensor &hidden_gates, const Tensor &cell,
                const Optional &input_bias, const Optional &hidden_bias)
{
    const auto gates =
        (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, 1);
    const Tensor in = gates[0].sigmoid(), forget = gates[1].sigmoid();
    const Tensor fresh = gates[2].tanh(), out = gates[3].sigmoid();
    const Tensor next = forget * cell + in * fresh;
    return {out * next.tanh(), next, at::cat({in, forget, fresh, out}, 1)};
}

Three lstm_cell_backward(const Optional &grad_hidden, const Optional &grad_cell, const Tensor &cell,
                         const Tensor &next, const Tensor &workspace, bool has_bias)
{
    if (!is_given(grad_hidden) && !is_given(grad_cell))
        return {};
    const auto gates = workspace.chunk(4, 1);
    const Tensor &in = gates[0], &forget = gates[1], &fresh = gates[2], &out = gates[3];
    const Tensor squashed = next.tanh();
    const Tensor of_hidden = is_given(grad_hidden) ? *grad_hidden : at::zeros_like(next);
    Tensor of_next = of_hidden * out * (1 - squashed * squashed);
    if (is_given(grad_cell))
        of_next = of_next + *grad_cell;
    const Tensor of_gates =
        at::cat({of_next * fresh * in * (1 - in), of_next * cell * forget * (1 - forget),
                 of_next * in * (1 - fresh * fresh), of_hidden * squashed * out * (1 - out)},
                1);

    return {of_gates, of_next * forget, has_bias ? of_gates.sum(0, false) : Tensor()};
}

/* Gates: reset, update, new. The reset gate scales the hidden state that the new gate uses. */
Two gru_cell(const Tensor &input_gates, const Tensor &hidden_gates, const Tensor &hidden,
             const Optional &input_bias, const Optional &hidden_bias)
{
    const auto from_input = with_bias(input_gates, input_bias).chunk(3, 1);
    const auto from_hidden = with_bias(hidden_gates, hidden_bias).chunk(3, 1);
    const Tensor reset = (from_input[0] + from_hidden[0]).sigmoid();
    const Tensor update = (from_input[1] + from_hidden[1]).sigmoid();
    const Tensor fresh = (from_input[2] + reset * from_hidden[2]).tanh();
    return {fresh + update * (hidden - fresh),
            at::cat({reset, update, fresh, hidden, from_hidden[2]}, 1)};
}

Five gru_cell_backward(const Tensor &grad, const Tensor &workspace, bool has_bias)
{
    const auto kept = workspace.chunk(5, 1);
    const Tensor &reset = kept[0], &update = kept[1], &fresh = kept[2], &hidden = kept[3];
    const Tensor of_fresh = grad * (1 - update) * (1 - fresh * fresh);
    const Tensor of_update = grad * (hidden - fresh) * update * (1 - update);
    const Tensor of_reset = of_fresh * kept[4] * reset * (1 - reset);
    const Tensor of_input = at::cat({of_reset, of_update, of_fresh}, 1);
    const Tensor of_hidden = at::cat({of_reset, of_update, of_fresh * reset}, 1);
    return {of_input, of_hidden, grad * update, has_bias ? of_input.sum(0, false) : Tensor(),
            has_bias ? of_hidden.sum(0, false) : Tensor()};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
    m.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
    m.impl("_thnn_fused_gru_cell", TORCH_FN(gru_cell));
    m.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gru_cell_backward));
}

} // namespace foo
