/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The allocator's class, and what the rest of this folder asks of device memory.
 */
#pragma once

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Stream.h>

namespace fakedev
{

struct DeviceAllocator : c10::DeviceAllocator {
    c10::DataPtr allocate(size_t size) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void *destination, const void *source, std::size_t count) const override;
    bool initialized() override;
    void emptyCache(c10::MempoolId_t pool) override;
    void recordStream(const c10::DataPtr &data, c10::Stream stream) override;
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override;
    void resetAccumulatedStats(c10::DeviceIndex device) override;
    void resetPeakStats(c10::DeviceIndex device) override;
    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override;
};

/* The one that is registered; lives until the process ends. */
c10::Allocator *device_allocator();

/* The block of `data` is also used by work on `stream`. Null and foreign pointers are ignored. */
void record_stream(const c10::DataPtr &data, const c10::Stream &stream);

} // namespace fakedev
