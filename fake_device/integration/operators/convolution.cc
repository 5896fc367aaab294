/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Convolution in up to three dimensions, transposed or not, grouped, with its backward.
 *
 * Purpose: every nn.Conv and nn.ConvTranspose. For PrivateUse1, core calls the "overrideable"
 * operators. If this file is removed, these operators raise NotImplementedError: they are composite
 * stubs that only raise, so they never reach a CPU fallback.
 * Implementation: windows of the padded input, made with as_strided, are multiplied by the weight
 * as a matrix. The gradient of the input, which is also the transposed convolution, adds the
 * columns back into the windows.
 * Serves: OPS-050, AMP-009, AGRD-031.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

using Sizes = std::vector<int64_t>;

struct Geometry {
    Sizes stride, padding, dilation;
    int64_t groups;
    Sizes kernel;  /* sizes of the weight */
    Sizes outer;   /* spatial sizes of the larger tensor, without padding */
    Sizes windows; /* number of windows that fit, per dim */
};

size_t rank_of(const Geometry &geometry)
{
    return geometry.kernel.size();
}

Sizes padded_sizes(const Geometry &geometry, int64_t batch, int64_t channels)
{
    Sizes sizes = {batch, channels};
    for (size_t dim = 0; dim < rank_of(geometry); dim++)
        sizes.push_back(geometry.outer[dim] + 2 * geometry.padding[dim]);
    return sizes;
}

/* Returns the padded tensor without its padding. */
at::Tensor inner_part(at::Tensor padded, const Geometry &geometry)
{
    for (size_t dim = 0; dim < rank_of(geometry); dim++)
        padded = padded.narrow(static_cast<int64_t>(dim) + 2, geometry.padding[dim],
                               geometry.outer[dim]);
    return padded;
}

/* Shape of the result: [batch, groups, channels / groups * kernel..., windows...] */
at::Tensor columns_of(const at::Tensor &input, const Geometry &geometry)
{
    const at::Tensor padded =
        at::zeros(padded_sizes(geometry, input.size(0), input.size(1)), input.options());
    inner_part(padded, geometry).copy_(input);
    Sizes sizes = {input.size(0), input.size(1)};
    Sizes strides = {padded.stride(0), padded.stride(1)};
    for (size_t dim = 0; dim < rank_of(geometry); dim++) {
        sizes.push_back(geometry.kernel[dim]);
        strides.push_back(padded.stride(static_cast<int64_t>(dim) + 2) * geometry.dilation[dim]);
    }
    for (size_t dim = 0; dim < rank_of(geometry); dim++) {
        sizes.push_back(geometry.windows[dim]);
        strides.push_back(padded.stride(static_cast<int64_t>(dim) + 2) * geometry.stride[dim]);
    }
    const int64_t count = c10::multiply_integers(geometry.windows);
    return padded.as_strided(sizes, strides)
        .reshape({input.size(0), geometry.groups,
                  input.size(1) / geometry.groups * c10::multiply_integers(geometry.kernel),
                  count});
}

/* Returns a strided view of the padded elements that are multiplied with this element of the
 * kernel, one per window. */
at::Tensor seen_by(at::Tensor padded, const Geometry &geometry, int64_t element)
{
    for (size_t dim = rank_of(geometry); dim-- > 0;) {
        const int64_t begin = element % geometry.kernel[dim] * geometry.dilation[dim];
        const int64_t length = (geometry.windows[dim] - 1) * geometry.stride[dim] + 1;
        padded = padded.slice(static_cast<int64_t>(dim) + 2, begin, begin + length,
                              geometry.stride[dim]);
        element /= geometry.kernel[dim];
    }
    return padded;
}

/* The transpose of columns_of: adds every column to the elements from which it was taken. */
at::Tensor sum_of_columns(const at::Tensor &columns, const Geometry &geometry, int64_t channels)
{
    const int64_t elements = c10::multiply_integers(geometry.kernel);
    const int64_t batch = columns.size(0);
    at::Tensor padded = at::zeros(padded_sizes(geometry, batch, channels), columns.options());
    Sizes sizes = {batch, channels, elements};
    sizes.insert(sizes.end(), geometry.windows.begin(), geometry.windows.end());
    const at::Tensor parts = columns.reshape(sizes);
    for (int64_t element = 0; element < elements; element++)
        seen_by(padded, geometry, element).add_(parts.select(2, element));
    return inner_part(padded, geometry).contiguous();
}

/* Shape of the result: [1, groups, out / groups, in / groups * kernel] */
at::Tensor matrix_of(const at::Tensor &weight, const Geometry &geometry)
{
    return weight.reshape({1, geometry.groups, weight.size(0) / geometry.groups,
                           weight.size(1) * c10::multiply_integers(geometry.kernel)});
}

/* Shape of the result: [batch, groups, channels / groups, windows] */
at::Tensor grouped(const at::Tensor &tensor, const Geometry &geometry)
{
    return tensor.reshape({tensor.size(0), geometry.groups, tensor.size(1) / geometry.groups,
                           c10::multiply_integers(geometry.windows)});
}

/* Multiplies each group. matmul merges batch and group into one dimension. */
at::Tensor forward(const at::Tensor &input, const at::Tensor &weight, const Geometry &geometry)
{
    Sizes sizes = {input.size(0), weight.size(0)};
    sizes.insert(sizes.end(), geometry.windows.begin(), geometry.windows.end());
    return at::matmul(matrix_of(weight, geometry), columns_of(input, geometry)).reshape(sizes);
}

at::Tensor backward_input(const at::Tensor &gradient, const at::Tensor &weight,
                          const Geometry &geometry)
{
    const at::Tensor columns =
        at::matmul(matrix_of(weight, geometry).transpose(2, 3), grouped(gradient, geometry));
    return sum_of_columns(columns, geometry, weight.size(1) * geometry.groups);
}

at::Tensor backward_weight(const at::Tensor &gradient, const at::Tensor &input,
                           const at::Tensor &weight, const Geometry &geometry)
{
    return at::matmul(grouped(gradient, geometry), columns_of(input, geometry).transpose(2, 3))
        .sum(0, false)
        .reshape(weight.sizes());
}

/* `outer` is the tensor over which the windows slide: the input, or the output if transposed. */
Geometry geometry_of(at::IntArrayRef outer, at::IntArrayRef windows, const at::Tensor &weight,
                     at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                     int64_t groups)
{
    return {stride.vec(),
            padding.vec(),
            dilation.vec(),
            groups,
            weight.sizes().slice(2).vec(),
            outer.slice(2).vec(),
            windows.slice(2).vec()};
}

Sizes output_sizes(const at::Tensor &input, const at::Tensor &weight, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                   at::IntArrayRef output_padding, int64_t groups)
{
    Sizes sizes = {input.size(0), transposed ? weight.size(1) * groups : weight.size(0)};
    for (size_t dim = 0; dim < stride.size(); dim++) {
        const auto axis = static_cast<int64_t>(dim) + 2;
        const int64_t reach = dilation[dim] * (weight.size(axis) - 1);
        sizes.push_back(transposed
                            ? (input.size(axis) - 1) * stride[dim] - 2 * padding[dim] + reach +
                                  output_padding[dim] + 1
                            : (input.size(axis) + 2 * padding[dim] - reach - 1) / stride[dim] + 1);
    }
    return sizes;
}

at::Tensor convolution(const at::Tensor &input, const at::Tensor &weight,
                       const std::optional<at::Tensor> &bias, at::IntArrayRef stride,
                       at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, int64_t groups)
{
    check_same_device(input.device(), {weight, bias.value_or(at::Tensor())}, "fakedev convolution");
    const KernelScope scope(input);
    const Sizes sizes =
        output_sizes(input, weight, stride, padding, dilation, transposed, output_padding, groups);
    const Geometry geometry = geometry_of(transposed ? at::IntArrayRef(sizes) : input.sizes(),
                                          transposed ? input.sizes() : at::IntArrayRef(sizes),
                                          weight, stride, padding, dilation, groups);
    const at::Tensor result = c10::multiply_integers(sizes) == 0 ? at::empty(sizes, input.options())
                              : transposed ? backward_input(input, weight, geometry)
                                           : forward(input, weight, geometry);
    if (!bias || !bias->defined())
        return result;
    Sizes bias_sizes(sizes.size(), 1);
    bias_sizes[1] = sizes[1];
    return result.add(bias->reshape(bias_sizes));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor>
convolution_backward(const at::Tensor &gradient, const at::Tensor &input, const at::Tensor &weight,
                     at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                     bool transposed, at::IntArrayRef, int64_t groups, std::array<bool, 3> mask)
{
    const KernelScope scope(input);
    const at::Tensor &outer = transposed ? gradient : input;
    const at::Tensor &windows = transposed ? input : gradient;
    const Geometry geometry =
        geometry_of(outer.sizes(), windows.sizes(), weight, stride, padding, dilation, groups);
    at::Tensor grad_input, grad_weight, grad_bias;
    if (mask[0])
        grad_input = transposed ? forward(gradient, weight, geometry)
                                : backward_input(gradient, weight, geometry);
    if (mask[1])
        grad_weight = backward_weight(windows, outer, weight, geometry);
    if (mask[2]) {
        Sizes dims = {0};
        for (int64_t dim = 2; dim < gradient.dim(); dim++)
            dims.push_back(dim);
        grad_bias = gradient.sum(dims, false);
    }
    return {grad_input, grad_weight, grad_bias};
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("convolution_overrideable", TORCH_FN(convolution));
    m.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
}

} // namespace fakedev
