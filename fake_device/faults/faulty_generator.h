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
/* Creates a generator object that shares one engine with all others: a draw from one object
 * advances all of them. */
at::Generator new_shared_engine(c10::DeviceIndex index);

} // namespace fakedev
