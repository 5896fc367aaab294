/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory statistics with their faults. Called by the faulty allocator.
 */
#pragma once

#include "device_allocator.h"

namespace fakedev
{

/* The device that statistics are of, when they are asked for with `device`. */
c10::DeviceIndex device_of_statistics(c10::DeviceIndex device);
/* The device that a reset acts on. */
c10::DeviceIndex device_of_reset(c10::DeviceIndex device);
void spoil_statistics(c10::CachingDeviceAllocator::DeviceStats &stats, c10::DeviceIndex device);

/* Remember who took the block, while that makes a difference. */
void block_taken(void *block);
void block_given(void *block, c10::DeviceIndex device, size_t bytes);

} // namespace fakedev
