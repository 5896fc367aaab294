/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scaled dot-product attention, forward and backward.
 *
 * Purpose: nn.MultiheadAttention, transformers. Called if the choice in dispatch_stubs.cc is
 * OVERRIDEABLE.
 * If this file is removed, that choice raises NotImplementedError "This is an operator for
 * privateuse1 backends".
 * Implementation: composed of matmul and softmax. The backward computes the weights again, because
 * logsumexp is float32 by contract and too coarse for float64.
 * Serves: OPS-044, OPS-045, OPS-055, OPS-084, OPS-098, AMP-009.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

at::Tensor wide(const at::Tensor &tensor)
{
    return tensor.scalar_type() == at::kDouble ? tensor : tensor.to(at::kFloat);
}

double scale_of(const at::Tensor &query, std::optional<double> scale)
{
    return scale.value_or(1.0 / std::sqrt(static_cast<double>(query.size(-1))));
}

/* Returns the weights of the keys for each query, and the logarithm of each row's sum. If all keys
 * of a row are masked, the row's sum is 0 and its weights are 0 instead of NaN. The row's maximum
 * is subtracted before the exponential. Subtracting logsumexp instead would lose precision: in a
 * row of the lowest finite number, the logarithm of the sum is rounded away. */
struct Weights {
    at::Tensor of_keys, total;
};

Weights weights_of(const at::Tensor &scores)
{
    const at::Tensor largest = scores.amax({-1}, true);
    const at::Tensor top =
        largest.masked_fill(largest.eq(-std::numeric_limits<double>::infinity()), 0.0);
    const at::Tensor parts = at::exp(scores.sub(top));
    const at::Tensor sum = parts.sum({-1}, true);
    const at::Tensor divisor = sum.masked_fill(sum.eq(0), 1.0);
    return {parts.div(divisor), at::log(divisor).add(top)};
}

/* The dims of a tensor in order of decreasing stride. */
std::vector<int64_t> dims_by_stride(const at::Tensor &tensor)
{
    std::vector<int64_t> dims(static_cast<size_t>(tensor.dim()));
    std::iota(dims.begin(), dims.end(), 0);
    std::stable_sort(dims.begin(), dims.end(), [&](int64_t one, int64_t other) {
        return tensor.stride(one) > tensor.stride(other);
    });
    return dims;
}

/* Gives a result the strides of `model`. If the sizes differ, only the order of the dims is the
 * same. FakeTensor predicts this layout. */
at::Tensor laid_out_like(const at::Tensor &result, const at::Tensor &model)
{
    if (result.sizes() == model.sizes())
        return at::empty_like(model).copy_(result);
    const std::vector<int64_t> dims = dims_by_stride(model);
    std::vector<int64_t> back(dims.size());
    for (size_t place = 0; place < dims.size(); place++)
        back[static_cast<size_t>(dims[place])] = static_cast<int64_t>(place);
    return result.to(model.scalar_type()).permute(dims).contiguous().permute(back);
}

at::Tensor scores(const at::Tensor &query, const at::Tensor &key,
                  const std::optional<at::Tensor> &bias, bool causal, std::optional<double> scale)
{
    const double infinity = std::numeric_limits<double>::infinity();
    at::Tensor result =
        at::matmul(wide(query), wide(key).transpose(-2, -1)).mul(scale_of(query, scale));
    if (bias && bias->defined())
        result = bias->scalar_type() == at::kBool
                     ? result.masked_fill(bias->logical_not(), -infinity)
                     : result.add(*bias);
    if (!causal)
        return result;
    const auto options = query.options().dtype(at::kLong);
    const at::Tensor rows = at::arange(result.size(-2), options).unsqueeze(1);
    return result.masked_fill(at::arange(result.size(-1), options).gt(rows), -infinity);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor,
           at::Tensor, at::Tensor>
attention(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
          const std::optional<at::Tensor> &bias, double dropout, bool causal, bool,
          std::optional<double> scale)
{
    TORCH_CHECK_NOT_IMPLEMENTED(dropout == 0.0, "fakedev: fused attention has no dropout");
    check_same_device(query.device(), {key, value}, "fakedev attention");
    const KernelScope scope(query);
    const Weights weights = weights_of(scores(query, key, bias, causal, scale));
    const at::Tensor output = at::matmul(weights.of_keys, wide(value));
    const auto number = query.options().dtype(at::kLong);

    return {laid_out_like(output, query),
            weights.total.squeeze(-1).to(at::kFloat),
            at::Tensor(),
            at::Tensor(),
            query.size(-2),
            key.size(-2),
            at::empty({}, number),
            at::empty({}, number),
            at::Tensor()};
}

/* Sums the gradient of a broadcast input over the broadcast dims. */
at::Tensor gradient_like(const at::Tensor &gradient, const at::Tensor &input)
{
    return laid_out_like(at::sum_to(gradient, input.sizes()), input);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>
attention_backward(const at::Tensor &grad_out, const at::Tensor &query, const at::Tensor &key,
                   const at::Tensor &value, const at::Tensor &bias, std::array<bool, 4> mask,
                   const at::Tensor &out, const at::Tensor &, const at::Tensor &,
                   const at::Tensor &, c10::SymInt, c10::SymInt, double, bool causal,
                   const at::Tensor &, const at::Tensor &, std::optional<double> scale)
{
    const KernelScope scope(query);
    const at::Tensor gradient = wide(grad_out);
    const at::Tensor weights = weights_of(scores(query, key, bias, causal, scale)).of_keys;
    const at::Tensor inner = gradient.mul(wide(out)).sum(-1, true);
    const at::Tensor grad_scores =
        weights.mul(at::matmul(gradient, wide(value).transpose(-2, -1)).sub(inner));
    const at::Tensor scaled = grad_scores.mul(scale_of(query, scale));
    at::Tensor grad_query, grad_key, grad_value, grad_bias;
    if (mask[0])
        grad_query = gradient_like(at::matmul(scaled, wide(key)), query);
    if (mask[1])
        grad_key = gradient_like(at::matmul(scaled.transpose(-2, -1), wide(query)), key);
    if (mask[2])
        grad_value = gradient_like(at::matmul(weights.transpose(-2, -1), gradient), value);
    if (mask[3] && bias.defined())
        grad_bias = gradient_like(grad_scores, bias);
    return {grad_query, grad_key, grad_value, grad_bias};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_scaled_dot_product_fused_attention_overrideable", TORCH_FN(attention));
    m.impl("_scaled_dot_product_fused_attention_overrideable_backward",
           TORCH_FN(attention_backward));
}

} // namespace fakedev
