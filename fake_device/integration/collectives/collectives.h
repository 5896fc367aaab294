/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The c10d backend "fakedist" of the device. Called by the binding, which Python's factory calls.
 */
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace fakedev
{

/* `inner` carries host tensors between the ranks; the result takes and gives device tensors. */
C10_EXPORT c10::intrusive_ptr<c10d::Backend>
collective_backend(c10::intrusive_ptr<c10d::Backend> inner);

} // namespace fakedev
