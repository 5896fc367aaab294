/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators with their faults. Called by the hooks.
 */
#pragma once

#include "generator.h"

namespace fakedev
{

const at::Generator &faulty_default_generator(c10::DeviceIndex device);
at::Generator new_faulty_generator(c10::DeviceIndex index);
/* Creates a generator object. All objects share one engine, so a draw from any object advances all
 * objects. */
at::Generator new_shared_engine(c10::DeviceIndex index);

} // namespace fakedev
