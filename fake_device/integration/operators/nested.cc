/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strided nested tensors: the queries that PyTorch makes for each nested tensor, and the operators
 * of nn.TransformerEncoder. The device cannot compute with other operators of nested tensors.
 *
 * If this file is removed, core still creates nested tensors, but autograd's query of their sizes
 * throws where no exception is allowed: torch.nested.as_nested_tensor() of tensors with gradients
 * ends the process. nn.TransformerEncoder, which lists PrivateUse1 among the devices of its fast
 * path, fails in evaluation with a padding mask. With this file, nested tensors can be created, and
 * other operators on them are refused with core's message.
 * Implementation: core's code for any device creates and pads nested tensors. An encoder layer
 * computes the padded tensor with a mask.
 * Serves: QSN-011, QSN-013.
 */
#include <ATen/ATen.h>
#include <ATen/native/nested/NestedTensorUtils.h>
#include <ATen/ops/_nested_from_padded_native.h>
#include <ATen/ops/_nested_tensor_from_mask_left_aligned_native.h>
#include <ATen/ops/_nested_tensor_from_mask_native.h>
#include <ATen/ops/_nested_tensor_size_native.h>
#include <ATen/ops/_nested_tensor_storage_offsets_native.h>
#include <ATen/ops/_nested_tensor_strides_native.h>
#include <ATen/ops/to_padded_tensor_native.h>
#include <torch/library.h>

namespace fakedev
{
namespace
{

/* True for the padding. `sizes` has a row [length, width] for each sequence. */
at::Tensor padding_mask(const at::Tensor &padded, const at::Tensor &sizes)
{
    const at::Tensor lengths = sizes.narrow(1, 0, 1).to(padded.device());
    return at::arange(padded.size(1), lengths.options()).ge(lengths);
}

void encoder_layer(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const c10::FunctionSchema &schema = op.schema();
    const auto argument = [&](const char *name) -> c10::IValue & {
        const auto index = static_cast<size_t>(schema.argumentIndexWithName(name).value());
        return (*stack)[stack->size() - schema.arguments().size() + index];
    };
    TORCH_CHECK_NOT_IMPLEMENTED(argument("mask").isNone(),
                                "fakedev: a nested tensor needs no attention mask");
    const at::Tensor nested = argument("src").toTensor();
    const at::Tensor sizes = at::native::get_nested_tensor_impl(nested)->get_nested_sizes();
    const at::Tensor padded = nested.to_padded_tensor(0.0);
    argument("src") = padded;
    argument("mask") = padding_mask(padded, sizes);
    argument("mask_type") = int64_t{1}; /* a mask of keys, one row per sequence */
    op.callBoxed(*stack);
    stack->back() = at::_nested_from_padded(stack->back().toTensor(), sizes);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, NestedTensorPrivateUse1, m)
{
    m.impl("_nested_tensor_size", TORCH_FN(at::native::_nested_tensor_size));
    m.impl("_nested_tensor_strides", TORCH_FN(at::native::_nested_tensor_strides));
    m.impl("_nested_tensor_storage_offsets", TORCH_FN(at::native::_nested_tensor_storage_offsets));
    m.impl("to_padded_tensor", TORCH_FN(at::native::NestedTensor_to_padded_tensor_generic));
    m.impl("_transformer_encoder_layer_fwd",
           torch::CppFunction::makeFromBoxedFunction<&encoder_layer>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_nested_from_padded", TORCH_FN(at::native::nested_from_padded_generic));
    m.impl("_nested_tensor_from_mask", TORCH_FN(at::native::NestedTensor_nested_tensor_from_mask));
    m.impl("_nested_tensor_from_mask_left_aligned",
           TORCH_FN(at::native::NestedTensor_nested_tensor_from_mask_left_aligned));
}

} // namespace fakedev
