/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Draws from a generator into device memory: code shared by all random operators.
 */
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <fakedev_kernels.h>

#include <optional>

namespace fakedev
{

/* Fills `self` (any strides) and returns it. The driver defines the meaning of `low` and `high`.
 * The generator (by default the generator of the tensor's device) advances past the numbers that
 * were drawn. */
at::Tensor &random_fill(at::Tensor &self, fd_random_op op, const at::Scalar &low,
                        const at::Scalar &high, const std::optional<at::Generator> &generator);
/* Returns the numbers 0 to n-1 (n > 0) in random order, as int64. */
at::Tensor random_permutation(int64_t n, c10::Device device,
                              const std::optional<at::Generator> &generator);

} // namespace fakedev
