/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device memory and pinned memory with their faults.
 */
#pragma once

#include "device_allocator.h"
#include "host_allocator.h"

namespace fakedev
{

c10::DeviceAllocator *make_faulty_allocator();
at::HostAllocator *make_faulty_host_allocator();
/* Registers an allocator that does not derive from DeviceAllocator, as in older backends. */
void register_plain_allocator();

} // namespace fakedev
