/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory statistics.
 *
 * Purpose: torch.accelerator.memory_stats() and all functions that read one of its keys.
 * If this file is removed, the counters stay 0, and memory_allocated() returns 0.
 * Traps: memory_allocated() and memory_reserved() read only the aggregate entry ("all") of each
 * array. The device has no small and large pools, so their entries stay 0.
 * Serves: STAT-002 to STAT-014, STAT-021, STAT-025, STAT-027.
 */
#include "allocator_stats.h"

#include "status.h"

namespace fakedev
{

namespace
{

using c10::CachingAllocator::Stat;
using c10::CachingAllocator::StatArray;

void set(StatArray &array, const fd_stat &from)
{
    Stat &stat = array[0];
    stat.current = static_cast<int64_t>(from.current);
    stat.peak = static_cast<int64_t>(from.peak);
    stat.allocated = static_cast<int64_t>(from.allocated);
    stat.freed = static_cast<int64_t>(from.freed);
}

} // namespace

c10::CachingDeviceAllocator::DeviceStats memory_stats(c10::DeviceIndex device)
{
    c10::CachingDeviceAllocator::DeviceStats stats;
    struct fd_memory_stats from;
    if (!fd_started())
        return stats;
    check(fd_memory_get_stats(device, &from), "memory statistics");
    set(stats.allocation, from.blocks);
    set(stats.active, from.blocks);
    set(stats.segment, from.segments);
    set(stats.inactive_split, from.inactive_blocks);
    set(stats.allocated_bytes, from.allocated_bytes);
    set(stats.active_bytes, from.allocated_bytes);
    set(stats.reserved_bytes, from.reserved_bytes);
    set(stats.inactive_split_bytes, from.inactive_bytes);
    set(stats.requested_bytes, from.requested_bytes);
    stats.num_alloc_retries = static_cast<int64_t>(from.retries);
    stats.num_ooms = static_cast<int64_t>(from.out_of_memory);
    stats.num_device_alloc = static_cast<int64_t>(from.device_allocations);
    stats.num_device_free = static_cast<int64_t>(from.device_frees);
    return stats;
}

} // namespace fakedev
