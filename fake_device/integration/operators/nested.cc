/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strided nested tensors: what PyTorch asks of each of them, though the device computes with none.
 *
 * Without: core makes them for every backend, and autograd asks their sizes where it may not throw:
 * torch.nested.as_nested_tensor() of tensors with gradients ends the process. With it they exist,
 * and their first operator is refused in core's words. Serves: QSN-011, QSN-013.
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
