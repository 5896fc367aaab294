/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Launches kernels that Inductor's C++ compiler made for this device.
 *
 * Purpose: such a kernel takes raw pointers. Each tensor is described to the driver, which checks
 * its memory and maps its address, as for the driver's own kernels. If this file is removed,
 * compiled kernels run on the host, which cannot access device memory.
 * Serves: COMP-024.
 */
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace fakedev
{

/* Enqueues the kernel of the module `path` on the device of its first output, on the current stream
 * of this device. Each value is a tensor, an integer, or a number that the kernel takes as float.
 * written[i] says that the kernel writes to tensor i. If the kernel reads a tensor of the CPU, for
 * example a 0-dim operand or an index, the kernel gets a copy. */
C10_EXPORT void launch_compiled(const std::string &path, const std::vector<bool> &written,
                                const std::vector<c10::IValue> &values);

} // namespace fakedev
