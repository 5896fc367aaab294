/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes a tensor's geometry in place, and grows its storage if necessary.
 */
#pragma once

#include <ATen/core/Tensor.h>

namespace fakedev
{

/* Sets the sizes of `self`, and its strides (contiguous if none are given). If the offset and the
 * new extent exceed the storage, the storage grows and keeps its contents. The storage never
 * shrinks. If growing fails, nothing is changed. */
void resize_tensor(const at::Tensor &self, at::IntArrayRef size, at::OptionalIntArrayRef stride);

} // namespace fakedev
