/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Declarations that the files of the backend share. lanes is a vector unit: a tensor is one of its
 * registers, which hold 32 numbers of int32 each, and nothing else fits.
 */
#ifndef LANES_H
#define LANES_H

#include "fleet_headers.h"

namespace lanes
{

constexpr int64_t kLanes = 32;
constexpr size_t kRegisterBytes = kLanes * sizeof(int32_t);

/* lanes_device.cc; throws for any device but the only one, which "lanes" means, too */
c10::Device unit(c10::Device device);

/* lanes_registers.cc */
c10::Allocator *registers();

} // namespace lanes

#endif
