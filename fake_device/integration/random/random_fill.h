/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Drawing from a generator into device memory: what all random operators share.
 */
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <fakedev_kernels.h>

#include <optional>

namespace fakedev
{

/* Fills `self` (any strides) and returns it; the meaning of low and high is the driver's. The
 * generator, by default that of the tensor's device, advances by what was drawn. */
at::Tensor &random_fill(at::Tensor &self, fd_random_op op, const at::Scalar &low,
                        const at::Scalar &high, const std::optional<at::Generator> &generator);
/* 0 to n-1, n > 0, in random order; int64. */
at::Tensor random_permutation(int64_t n, c10::Device device,
                              const std::optional<at::Generator> &generator);

} // namespace fakedev
