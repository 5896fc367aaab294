/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Driver counters -> the statistics struct of torch.accelerator.memory_stats().
 */
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

namespace fakedev
{

/* All zero before the driver has started; `device` must be in range. */
c10::CachingDeviceAllocator::DeviceStats memory_stats(c10::DeviceIndex device);

} // namespace fakedev
