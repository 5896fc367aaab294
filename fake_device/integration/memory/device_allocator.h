/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The class of the allocator, and functions on device memory for the other files of this folder.
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

/* The registered allocator. The allocator lives until the process ends. */
c10::Allocator *device_allocator();

/* Declares that work on `stream` uses the block of `data`. Null and foreign pointers are
 * ignored. */
void record_stream(const c10::DataPtr &data, const c10::Stream &stream);

} // namespace fakedev
