/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random number generators of the device, for the hooks and for random kernels.
 */
#pragma once

#include <ATen/core/Generator.h>
#include <fakedev.h>

#include <optional>

namespace fakedev
{

/* The one default generator of a device; -1 means the current device. Lives until process end. */
const at::Generator &default_generator(c10::DeviceIndex index);

/* An independent generator with the default seed. */
at::Generator new_generator(c10::DeviceIndex index);

/* For a kernel that draws `blocks` times four numbers on device `index`: the position it starts
 * from. The generator is advanced past them, under its lock. No generator: the default one of the
 * device. Throws for a generator of another device type or index. */
fd_random take_random(const std::optional<at::Generator> &generator, c10::DeviceIndex index,
                      uint64_t blocks);

} // namespace fakedev
