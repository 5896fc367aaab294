/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Changing a tensor's geometry in place, growing its storage when it must.
 */
#pragma once

#include <ATen/core/Tensor.h>

namespace fakedev
{

/* Sets sizes (and strides, else contiguous ones) of `self`. The storage grows to hold the offset
 * and the new extent and keeps its contents; it never shrinks. If growing fails, nothing has
 * changed. */
void resize_tensor(const at::Tensor &self, at::IntArrayRef size, at::OptionalIntArrayRef stride);

} // namespace fakedev
