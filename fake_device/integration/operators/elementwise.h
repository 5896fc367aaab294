/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes one elementwise launch from a prepared operation (Structured<Meta> or a TensorIterator).
 */
#pragma once

#include <ATen/TensorIterator.h>

#include "cpu_fallback.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{

/* True if the result must wrap in the common integer dtype before it is cast to the dtype of out=.
 * The device cannot wrap in this way, because it computes all integers in 64 bits. */
bool wraps_before_cast(const at::Tensor &out, at::ScalarType dtype);

/* Enqueues the operation, computed in `dtype`. If the device does not support the operation,
 * enqueues nothing and returns false. */
bool launch_unary(fd_unary_op op, const at::Tensor &out, const at::Tensor &in,
                  at::ScalarType dtype);
bool launch_binary(fd_binary_op op, const at::Tensor &out, const at::Tensor &a, const at::Tensor &b,
                   at::ScalarType dtype);

/* Makes the checks for operators without a meta function. Determines the result's dtype: bool for
 * comparisons, else the promoted dtype. */
at::TensorIterator check_binary(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b);
at::TensorIterator check_unary(const at::Tensor &out, const at::Tensor &in);

} // namespace fakedev
