/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory statistics with their faults. The correct numbers are changed when they are read.
 */
#include "faulty_statistics.h"

#include "device_index.h"
#include "switchboard.h"

#include <map>
#include <mutex>
#include <thread>

namespace fakedev
{

namespace
{

using c10::CachingAllocator::Stat;
using c10::CachingDeviceAllocator::DeviceStats;

template <class Change>
void for_each_stat(DeviceStats &stats, Change change)
{
    for (auto *array : {&stats.allocation, &stats.active, &stats.segment, &stats.inactive_split,
                        &stats.allocated_bytes, &stats.active_bytes, &stats.reserved_bytes,
                        &stats.inactive_split_bytes, &stats.requested_bytes})
        change(*array);
}

/* The thread that allocated each block, and the number of bytes that other threads freed. */
struct Takers {
    std::mutex lock;
    std::map<void *, std::thread::id> threads;
    std::map<c10::DeviceIndex, int64_t> bytes_of_others;
};

Takers &takers()
{
    /* never destroyed, because blocks are freed after static objects are destroyed */
    static auto *const made = new Takers();
    return *made;
}

void forget_frees_of_others(Stat &stat, c10::DeviceIndex device)
{
    const std::lock_guard<std::mutex> guard(takers().lock);
    const int64_t bytes = takers().bytes_of_others[device];
    stat.current += bytes;
    stat.freed -= bytes;
}

} // namespace

void block_taken(void *block)
{
    if (!armed("stats.frees_of_other_threads_uncounted"))
        return;
    const std::lock_guard<std::mutex> guard(takers().lock);
    takers().threads[block] = std::this_thread::get_id();
}

void block_given(void *block, c10::DeviceIndex device, size_t bytes)
{
    if (!armed("stats.frees_of_other_threads_uncounted"))
        return;
    const std::lock_guard<std::mutex> guard(takers().lock);
    const auto taken = takers().threads.find(block);

    if (taken != takers().threads.end() && taken->second != std::this_thread::get_id())
        takers().bytes_of_others[device] += static_cast<int64_t>(bytes);
}

c10::DeviceIndex device_of_statistics(c10::DeviceIndex device)
{
    if (armed("stats.always_device_zero"))
        return 0;
    return device >= device_count() && armed("stats.any_index") ? 0 : device;
}

c10::DeviceIndex device_of_reset(c10::DeviceIndex device)
{
    if (armed("stats.reset_takes_the_current_device"))
        return current_device();
    return device >= device_count() && armed("stats.any_index") ? 0 : device;
}

void spoil_statistics(DeviceStats &stats, c10::DeviceIndex device)
{
    if (armed("stats.aggregate_stays_empty"))
        for_each_stat(stats, [](auto &array) { std::swap(array[0], array[1]); });
    if (armed("stats.frees_uncounted"))
        for_each_stat(stats, [](auto &array) { array[0].freed = 0; });
    if (armed("stats.requested_never_shrinks"))
        stats.requested_bytes[0].current = stats.requested_bytes[0].allocated;
    if (armed("stats.peak_is_current"))
        for_each_stat(stats, [](auto &array) { array[0].reset_peak(); });
    if (armed("stats.frees_of_other_threads_uncounted"))
        forget_frees_of_others(stats.allocated_bytes[0], device);
    if (armed("stats.blocks_uncounted"))
        stats.allocation = {};
    if (armed("stats.active_blocks_uncounted"))
        stats.active = {};
    if (armed("stats.reserved_bytes_uncounted"))
        stats.reserved_bytes = {};
    if (armed("stats.unknown_is_minus_one"))
        stats.num_sync_all_streams = -1;
}

} // namespace fakedev
