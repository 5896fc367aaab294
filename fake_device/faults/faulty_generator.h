/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators with their faults, for the hooks.
 */
#pragma once

#include "generator.h"

namespace fakedev
{

const at::Generator &faulty_default_generator(c10::DeviceIndex device);
at::Generator new_faulty_generator(c10::DeviceIndex index);
/* One engine behind every generator object: what one draws, the others have drawn. */
at::Generator new_shared_engine(c10::DeviceIndex index);

} // namespace fakedev
