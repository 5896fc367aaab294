/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts the driver's counters to the statistics structure of torch.accelerator.memory_stats().
 */
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

namespace fakedev
{

/* All values are 0 before the driver has started. `device` must be in range. */
c10::CachingDeviceAllocator::DeviceStats memory_stats(c10::DeviceIndex device);

} // namespace fakedev
