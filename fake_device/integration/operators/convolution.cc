/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Convolution in up to three dimensions, transposed or not, grouped, with its backward.
 *
 * Purpose: every nn.Conv and nn.ConvTranspose. For PrivateUse1, core calls the "overrideable"
 * operators. If this file is removed, these operators raise NotImplementedError: they are composite
 * stubs that only raise, so they never reach a CPU fallback.
 * Implementation: windows of the padded input, made with as_strided, are multiplied by the weight
 * as a matrix. The gradient of the input, which is also the transposed convolution, adds the
 * columns back into the windows. Columns repeat each element once per element of the kernel, so the
 * work is divided into parts (some images, some rows of windows) whose columns take no more memory
 * than the operands.
 * Trap: up to torch 2.13 core predicts contiguous results for PrivateUse1, also if the input is
 * channels_last. If eager results had another layout, compiled code would fail ("view size is not
 * compatible"). Therefore this file asks core for the layout.
 * Serves: OPS-050, AMP-009, AGRD-031.
 */
#include <ATen/ATen.h>
#include <ATen/OpMathType.h>
#include <ATen/native/ConvUtils.h>
#include <torch/library.h>

#include <algorithm>

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

/* The windows of some images, restricted to some rows of windows in the first spatial dim. */
struct Part {
    int64_t image, images, row, rows;
};

/* Calls `work` for each part. `channels` is the number of channels over which the windows slide. */
template <class Work>
void in_parts(const Geometry &geometry, int64_t batch, int64_t channels, int64_t budget, Work work)
{
    const int64_t all_rows = geometry.windows[0];
    if (channels * c10::multiply_integers(geometry.windows) == 0)
        return;
    const int64_t row_columns = channels * c10::multiply_integers(geometry.kernel) *
                                c10::multiply_integers(geometry.windows) / all_rows;
    const int64_t rows = std::clamp<int64_t>(budget / row_columns, 1, all_rows);
    const int64_t images = rows < all_rows ? 1 : std::max<int64_t>(budget / row_columns / rows, 1);
    for (int64_t image = 0; image < batch; image += images)
        for (int64_t row = 0; row < all_rows; row += rows)
            work(Part{image, std::min(images, batch - image), row, std::min(rows, all_rows - row)});
}

Geometry restricted(Geometry geometry, const Part &part)
{
    geometry.windows[0] = part.rows;
    return geometry;
}

/* The images and rows of this part, from a tensor with one element for each window. */
at::Tensor windows_of(const at::Tensor &tensor, const Part &part)
{
    return tensor.narrow(0, part.image, part.images).narrow(2, part.row, part.rows);
}

/* The elements that the windows of the part contain. */
at::Tensor seen_by_part(const at::Tensor &padded, const Geometry &geometry, const Part &part)
{
    const int64_t reach = (geometry.kernel[0] - 1) * geometry.dilation[0];
    return padded.narrow(0, part.image, part.images)
        .narrow(2, part.row * geometry.stride[0], (part.rows - 1) * geometry.stride[0] + reach + 1);
}

at::Tensor with_padding(const at::Tensor &input, const Geometry &geometry)
{
    if (c10::multiply_integers(padded_sizes(geometry, 1, 1)) ==
        c10::multiply_integers(geometry.outer))
        return input;
    const at::Tensor result =
        at::zeros(padded_sizes(geometry, input.size(0), input.size(1)), input.options());
    inner_part(result, geometry).copy_(input);
    return result;
}

/* Shape of the result: [groups, channels / groups * kernel, batch * windows] */
at::Tensor columns_of(const at::Tensor &padded, const Geometry &geometry)
{
    Sizes sizes = {padded.size(1)}, strides = {padded.stride(1)};
    for (size_t dim = 0; dim < rank_of(geometry); dim++) {
        sizes.push_back(geometry.kernel[dim]);
        strides.push_back(padded.stride(static_cast<int64_t>(dim) + 2) * geometry.dilation[dim]);
    }
    sizes.push_back(padded.size(0));
    strides.push_back(padded.stride(0));
    for (size_t dim = 0; dim < rank_of(geometry); dim++) {
        sizes.push_back(geometry.windows[dim]);
        strides.push_back(padded.stride(static_cast<int64_t>(dim) + 2) * geometry.stride[dim]);
    }
    return padded.as_strided(sizes, strides)
        .reshape({geometry.groups,
                  padded.size(1) / geometry.groups * c10::multiply_integers(geometry.kernel),
                  padded.size(0) * c10::multiply_integers(geometry.windows)});
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
void add_columns(const at::Tensor &padded, const at::Tensor &columns, const Geometry &geometry)
{
    const int64_t elements = c10::multiply_integers(geometry.kernel);
    Sizes sizes = {padded.size(1), elements, padded.size(0)};
    sizes.insert(sizes.end(), geometry.windows.begin(), geometry.windows.end());
    const at::Tensor parts = columns.reshape(sizes).transpose(0, 2); /* batch, elements, channels */
    for (int64_t element = 0; element < elements; element++)
        seen_by(padded, geometry, element).add_(parts.select(1, element));
}

/* Shape of the result: [groups, out / groups, in / groups * kernel] */
at::Tensor matrix_of(const at::Tensor &weight, const Geometry &geometry)
{
    return weight.reshape({geometry.groups, weight.size(0) / geometry.groups,
                           weight.size(1) * c10::multiply_integers(geometry.kernel)});
}

/* Shape of the result: [groups, channels / groups, batch * windows] */
at::Tensor grouped(const at::Tensor &tensor, const Geometry &geometry)
{
    return tensor.transpose(0, 1).reshape(
        {geometry.groups, tensor.size(1) / geometry.groups,
         tensor.size(0) * c10::multiply_integers(tensor.sizes().slice(2))});
}

at::Tensor forward(const at::Tensor &input, const at::Tensor &weight, const Geometry &geometry)
{
    Sizes sizes = {input.size(0), weight.size(0)};
    sizes.insert(sizes.end(), geometry.windows.begin(), geometry.windows.end());
    const at::Tensor result = at::empty(sizes, input.options());
    const at::Tensor from = with_padding(input, geometry), matrix = matrix_of(weight, geometry);
    in_parts(geometry, input.size(0), input.size(1),
             input.numel() + weight.numel() + result.numel(), [&](const Part &part) {
                 const at::Tensor columns =
                     columns_of(seen_by_part(from, geometry, part), restricted(geometry, part));
                 const at::Tensor to = windows_of(result, part).transpose(0, 1);
                 to.copy_(at::bmm(matrix, columns).reshape(to.sizes()));
             });
    return result;
}

at::Tensor backward_input(const at::Tensor &gradient, const at::Tensor &weight,
                          const Geometry &geometry)
{
    const int64_t channels = weight.size(1) * geometry.groups;
    const at::Tensor result =
        at::zeros(padded_sizes(geometry, gradient.size(0), channels), gradient.options());
    const at::Tensor matrix = matrix_of(weight, geometry).transpose(1, 2);
    in_parts(geometry, gradient.size(0), channels,
             gradient.numel() + weight.numel() + result.numel(), [&](const Part &part) {
                 add_columns(seen_by_part(result, geometry, part),
                             at::bmm(matrix, grouped(windows_of(gradient, part), geometry)),
                             restricted(geometry, part));
             });
    return inner_part(result, geometry);
}

/* The sum of several parts is rounded to the weight's dtype once. */
at::Tensor backward_weight(const at::Tensor &gradient, const at::Tensor &input,
                           const at::Tensor &weight, const Geometry &geometry)
{
    const at::Tensor from = with_padding(input, geometry);
    at::Tensor result = at::zeros(matrix_of(weight, geometry).sizes(),
                                  weight.options().dtype(at::toOpMathType(weight.scalar_type())));
    in_parts(geometry, input.size(0), input.size(1),
             input.numel() + weight.numel() + gradient.numel(), [&](const Part &part) {
                 const at::Tensor columns =
                     columns_of(seen_by_part(from, geometry, part), restricted(geometry, part));
                 result.add_(at::bmm(grouped(windows_of(gradient, part), geometry),
                                     columns.transpose(1, 2)));
             });
    return result.to(weight.scalar_type()).reshape(weight.sizes());
}

/* Gives the result the layout that core predicts, because compiled code relies on it. A part of a
 * padded tensor is copied, so that the result does not hold the padding's memory. */
at::Tensor laid_out_as_predicted(const at::Tensor &result, const at::Tensor &input,
                                 const at::Tensor &weight)
{
    const at::MemoryFormat format = at::native::_determine_backend_memory_format(
        input, weight, at::native::ConvBackend::Overrideable);
    return result.storage().nbytes() == result.nbytes() ? result.contiguous(format)
                                                        : result.clone(format);
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
    if (bias && bias->defined()) {
        Sizes bias_sizes(sizes.size(), 1);
        bias_sizes[1] = sizes[1];
        result.add_(bias->reshape(bias_sizes));
    }
    return laid_out_as_predicted(result, input, weight);
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
        grad_input = laid_out_as_predicted(transposed ? forward(gradient, weight, geometry)
                                                      : backward_input(gradient, weight, geometry),
                                           input, weight);
    if (mask[1])
        grad_weight =
            laid_out_as_predicted(backward_weight(windows, outer, weight, geometry), input, weight);
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
