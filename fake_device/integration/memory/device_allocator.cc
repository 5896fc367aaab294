/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device allocator: the memory of every device tensor, and its statistics.
 *
 * Purpose: factories, UntypedStorage, copy-on-write and torch.accelerator's memory functions. The
 * class derives from c10::DeviceAllocator, because torch.accelerator.empty_cache() and
 * memory_stats() require this base class. If this file is removed, the first factory raises
 * "Allocator for fakedev is not set".
 * Traps: any thread may free a block while any device is current, so the owner is found by address
 * and no device is switched. An allocation of zero bytes is a null pointer with the current device.
 * The context must equal the pointer, because raw_allocate and copy-on-write rely on it. Indices
 * are passed unchecked.
 * Serves: ALLOC-001 to ALLOC-035, STAT-001 to STAT-027, STRM-025.
 */
#include "device_allocator.h"

#include "allocator_stats.h"
#include "device_index.h"
#include "status.h"
#include "streams.h"

namespace fakedev
{

namespace
{

void report_to_profiler(void *pointer, int64_t change, c10::DeviceIndex device)
{
    struct fd_memory_stats stats;
    if (!c10::memoryProfilingEnabled() || fd_memory_get_stats(device, &stats) != FD_OK)
        return;
    c10::reportMemoryUsageToProfiler(pointer, change, stats.allocated_bytes.current,
                                     stats.reserved_bytes.current, make_device(device));
}

/* The deleter of every block. The deleter runs on any thread and in destructors, so it must not
 * throw or switch the device. */
void free_block(void *pointer)
{
    struct fd_block block;
    if (!pointer || fd_memory_find(pointer, &block) != FD_OK)
        return;
    (void)fd_memory_free(pointer);
    report_to_profiler(pointer, -static_cast<int64_t>(block.size),
                       static_cast<c10::DeviceIndex>(block.device));
}

void *allocate_block(c10::DeviceIndex device, size_t size)
{
    void *pointer = nullptr;
    check(fd_memory_allocate(device, size, current_stream(device), &pointer), "allocate");
    report_to_profiler(pointer, static_cast<int64_t>(size), device);
    return pointer;
}

} // namespace

c10::DataPtr DeviceAllocator::allocate(size_t size)
{
    const c10::DeviceIndex device = current_device();
    TORCH_CHECK(device_count() > 0, "fakedev: allocate: there is no device");
    void *pointer = size ? allocate_block(device, size) : nullptr;
    return c10::DataPtr(pointer, pointer, &free_block, make_device(device));
}

c10::DeleterFnPtr DeviceAllocator::raw_deleter() const
{
    return &free_block;
}

void DeviceAllocator::copy_data(void *destination, const void *source, std::size_t count) const
{
    check(fd_memory_copy(destination, source, count), "copy data");
}

bool DeviceAllocator::initialized()
{
    return fd_started() == 1;
}

void DeviceAllocator::emptyCache(c10::MempoolId_t pool)
{
    if (pool.first != 0 || pool.second != 0) /* no other pools exist */
        return;
    for (c10::DeviceIndex i = 0; i < device_count(); i++)
        check(fd_memory_empty_cache(i), "empty cache");
}

void DeviceAllocator::recordStream(const c10::DataPtr &data, c10::Stream stream)
{
    record_stream(data, stream);
}

c10::CachingDeviceAllocator::DeviceStats DeviceAllocator::getDeviceStats(c10::DeviceIndex device)
{
    return memory_stats(require_device(device, "memory statistics"));
}

void DeviceAllocator::resetAccumulatedStats(c10::DeviceIndex device)
{
    check(fd_memory_reset_accumulated(require_device(device, "memory statistics")),
          "reset memory statistics");
}

void DeviceAllocator::resetPeakStats(c10::DeviceIndex device)
{
    check(fd_memory_reset_peak(require_device(device, "memory statistics")),
          "reset memory statistics");
}

std::pair<size_t, size_t> DeviceAllocator::getMemoryInfo(c10::DeviceIndex device)
{
    uint64_t free_bytes = 0, total_bytes = 0;
    check(fd_memory_info(resolve_device(device, "memory info"), &free_bytes, &total_bytes),
          "memory info");
    return {free_bytes, total_bytes};
}

c10::Allocator *device_allocator()
{
    return c10::GetAllocator(c10::DeviceType::PrivateUse1);
}

void record_stream(const c10::DataPtr &data, const c10::Stream &stream)
{
    struct fd_block block;
    if (!data.get())
        return;
    if (fd_memory_find(data.get(), &block) == FD_OK && block.device >= 0)
        check(fd_memory_record_stream(data.get(), to_driver(stream)), "record stream");
}

} // namespace fakedev
