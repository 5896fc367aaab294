/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The c10d backend "fakedist" of the device. Called by the binding on behalf of the Python factory.
 */
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace fakedev
{

/* `inner` transfers host tensors between the ranks. The returned backend works with device
 * tensors. */
C10_EXPORT c10::intrusive_ptr<c10d::Backend>
collective_backend(c10::intrusive_ptr<c10d::Backend> inner);

} // namespace fakedev
