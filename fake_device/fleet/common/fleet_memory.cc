/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Allocators without a defect, over memory of the host.
 */
#include "fleet_memory.h"

#include <cstdlib>

namespace fleet
{

c10::DataPtr PlainMemory::allocate(size_t size)
{
    constexpr size_t kMost = size_t{1} << 34;
    const c10::DeviceIndex index = current_device();
    void *block = nullptr;
    TORCH_CHECK_WITH(OutOfMemoryError,
                     size <= kMost && (size == 0 || posix_memalign(&block, 128, size) == 0),
                     backend.name, ": no room for ", size, " bytes on device ", int(index));
    mark_used(index);
    return {block, block, raw_deleter(), device(index)};
}

c10::DeleterFnPtr PlainMemory::raw_deleter() const
{
    return [](void *block) { std::free(block); };
}

void PlainMemory::copy_data(void *to, const void *from, size_t count) const
{
    default_copy_data(to, from, count);
}

/* ---- with statistics ------------------------------------------------------------------------------ */

c10::DataPtr Memory::allocate(size_t size)
{
    const c10::DeviceIndex index = current_device();
    void *const block = size == 0 ? nullptr : take(index, size);
    return {block, block, &give_back, device(index)};
}

c10::DeleterFnPtr Memory::raw_deleter() const
{
    return &give_back;
}

void Memory::copy_data(void *to, const void *from, size_t count) const
{
    default_copy_data(to, from, count);
}

bool Memory::initialized()
{
    return true;
}

void Memory::emptyCache(c10::MempoolId_t)
{
}

/* No work is pending on a block that is freed. */
void Memory::recordStream(const c10::DataPtr &, c10::Stream)
{
}

Memory::Stats Memory::getDeviceStats(c10::DeviceIndex index)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return stats_of(index);
}

void Memory::resetAccumulatedStats(c10::DeviceIndex index)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    Stats &stats = stats_of(index);
    for (Stat *const stat : all_in(stats))
        stat->reset_accumulated();
    stats.num_ooms = stats.num_alloc_retries = 0;
}

void Memory::resetPeakStats(c10::DeviceIndex index)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    for (Stat *const stat : all_in(stats_of(index)))
        stat->reset_peak();
}

std::pair<size_t, size_t> Memory::getMemoryInfo(c10::DeviceIndex index)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    return {kCapacity - static_cast<size_t>(stats_of(index).reserved_bytes[0].current), kCapacity};
}

c10::DeviceIndex Memory::owner(const void *address)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto after = blocks_.upper_bound(static_cast<const char *>(address));
    TORCH_CHECK(after != blocks_.begin(), backend.name, ": this address is of no device");
    const auto &[begin, block] = *std::prev(after);
    TORCH_CHECK(static_cast<const char *>(address) < begin + block.size, backend.name,
                ": this address is of no device");
    return block.device;
}

size_t Memory::rounded(size_t size) const
{
    return size > kCapacity ? size : (size + kGrain - 1) / kGrain * kGrain;
}

void Memory::count(Stats &stats, const Block &block, Change change)
{
    for (Stat *const stat :
         {&stats.allocated_bytes[0], &stats.active_bytes[0], &stats.reserved_bytes[0]})
        (stat->*change)(block.size);
    (stats.requested_bytes[0].*change)(block.asked);
    for (Stat *const stat : {&stats.allocation[0], &stats.active[0], &stats.segment[0]})
        (stat->*change)(1);
}

void Memory::count_failure(Stats &stats)
{
    stats.num_ooms++;
}

c10::DeviceIndex Memory::device_of_freed(const Block &block) const
{
    return block.device;
}

Memory::Stats &Memory::stats_of(c10::DeviceIndex index)
{
    return stats_[static_cast<size_t>(resolved(index))];
}

std::vector<Memory::Stat *> Memory::bytes_in(Stats &stats)
{
    return {&stats.allocated_bytes[0], &stats.requested_bytes[0], &stats.active_bytes[0],
            &stats.reserved_bytes[0]};
}

std::vector<Memory::Stat *> Memory::all_in(Stats &stats)
{
    std::vector<Stat *> all = bytes_in(stats);
    all.insert(all.end(), {&stats.allocation[0], &stats.active[0], &stats.segment[0]});
    return all;
}

void Memory::refuse(Stats &stats, size_t size)
{
    count_failure(stats);
    TORCH_CHECK_WITH(OutOfMemoryError, false, backend.name, ": no room for ", size, " bytes");
}

void *Memory::take(c10::DeviceIndex index, size_t size)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    Stats &stats = stats_of(index);
    const size_t whole = rounded(size);
    const size_t left = kCapacity - static_cast<size_t>(stats.reserved_bytes[0].current);
    void *address = nullptr;
    if (whole > left || posix_memalign(&address, kGrain, whole) != 0)
        refuse(stats, size);
    const Block block{index, whole, size};
    blocks_[static_cast<char *>(address)] = block;
    count(stats, block, &Stat::increase);
    mark_used(index);
    return address;
}

void Memory::give_back(void *address)
{
    if (address != nullptr)
        static_cast<Memory *>(c10::GetAllocator(c10::DeviceType::PrivateUse1))->release(address);
}

void Memory::release(void *address)
{
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = blocks_.find(static_cast<char *>(address));
    if (found == blocks_.end())
        return;
    const Block block = found->second;
    blocks_.erase(found);
    count(stats_of(device_of_freed(block)), block, &Stat::decrease);
    discard(address, block);
}

void Memory::discard(void *address, const Block &)
{
    std::free(address);
}

} // namespace fleet
