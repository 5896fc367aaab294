/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that both files of operators need.
 */
#pragma once

#include <ATen/core/Tensor.h>

namespace jit
{

/* The tensor as one of the host, over the same memory. */
at::Tensor on_host(const at::Tensor &self);
/* The name of the type in kernels; null for one that none is written in. */
const char *type_name(at::ScalarType type);

} // namespace jit
