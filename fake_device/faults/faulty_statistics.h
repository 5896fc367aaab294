/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory statistics with their faults. Called by the faulty allocator.
 */
#pragma once

#include "device_allocator.h"

namespace fakedev
{

/* The device whose statistics are returned for a query about `device`. */
c10::DeviceIndex device_of_statistics(c10::DeviceIndex device);
/* The device on which a reset acts. */
c10::DeviceIndex device_of_reset(c10::DeviceIndex device);
void spoil_statistics(c10::CachingDeviceAllocator::DeviceStats &stats, c10::DeviceIndex device);

/* Records the thread that allocated the block, if a fault needs it. */
void block_taken(void *block);
void block_given(void *block, c10::DeviceIndex device, size_t bytes);

} // namespace fakedev
