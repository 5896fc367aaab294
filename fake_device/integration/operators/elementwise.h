/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a prepared operation (Structured<Meta> or a TensorIterator) to one elementwise launch.
 */
#pragma once

#include <ATen/TensorIterator.h>

#include "cpu_fallback.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{

/* Whole numbers wrap in the common dtype before they are cast to that of out=; the device has 64 bits for them. */
bool wraps_before_cast(const at::Tensor &out, at::ScalarType dtype);

/* Enqueue; false: the device cannot, nothing was enqueued. `dtype` is the one to compute in. */
bool launch_unary(fd_unary_op op, const at::Tensor &out, const at::Tensor &in,
                  at::ScalarType dtype);
bool launch_binary(fd_binary_op op, const at::Tensor &out, const at::Tensor &a, const at::Tensor &b,
                   at::ScalarType dtype);

/* Checks and dtypes for operators that have no meta function of their own: comparison-like ones
 * give bool, the others the promoted dtype. */
at::TensorIterator check_binary(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b);
at::TensorIterator check_unary(const at::Tensor &out, const at::Tensor &in);

} // namespace fakedev
