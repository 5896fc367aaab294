/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strided nested tensors: the queries that PyTorch makes for each nested tensor. The device cannot
 * compute with nested tensors.
 *
 * If this file is removed, core still creates nested tensors, but autograd's query of their sizes
 * throws where no exception is allowed: torch.nested.as_nested_tensor() of tensors with gradients
 * ends the process. With this file, nested tensors can be created, and the first operator on one is
 * refused with core's message.
 * Serves: QSN-011, QSN-013.
 */
#include <ATen/ops/_nested_tensor_size_native.h>
#include <ATen/ops/_nested_tensor_storage_offsets_native.h>
#include <ATen/ops/_nested_tensor_strides_native.h>
#include <torch/library.h>

TORCH_LIBRARY_IMPL(aten, NestedTensorPrivateUse1, m)
{
    m.impl("_nested_tensor_size", TORCH_FN(at::native::_nested_tensor_size));
    m.impl("_nested_tensor_strides", TORCH_FN(at::native::_nested_tensor_strides));
    m.impl("_nested_tensor_storage_offsets", TORCH_FN(at::native::_nested_tensor_storage_offsets));
}
