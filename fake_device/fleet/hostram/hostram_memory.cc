/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The allocator: blocks of host memory, each of the device that was current when it was made.
 */
#include "hostram.h"

#include <c10/util/Exception.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace hostram
{

namespace
{

using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kAlignment = 64;
constexpr size_t kCapacity = size_t{8} << 30; /* of each device */
constexpr size_t kSlots = 128;                /* one for each DeviceIndex */
constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

struct Block {
    size_t size;
    c10::DeviceIndex device;
};

class Allocator final : public c10::DeviceAllocator
{
  public:
    Allocator()
    {
        for (size_t index = 0; index < kDevices; index++)
            stats_[index] = new DeviceStats();
    }

    c10::DataPtr allocate(size_t size) override
    {
        const c10::DeviceIndex device = current_device();

        if (size == 0)
            return {nullptr, nullptr, &free_block, device_of(device)};
        void *const address = allocate_on(device, size);
        return {address, address, &free_block, device_of(device)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &free_block;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }

    bool initialized() override
    {
        return true;
    }

    void emptyCache(c10::MempoolId_t) override
    {
    }

    void recordStream(const c10::DataPtr &, c10::Stream) override
    {
        /* Nothing is ever pending on a block that is freed. */
    }

    DeviceStats getDeviceStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return *stats_[index]; /* stats-bad-index */
    }

    void resetAccumulatedStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto *const stat : {&stats_[index]->allocated_bytes, &stats_[index]->reserved_bytes})
            (*stat)[kAll].reset_accumulated();
    }

    void resetPeakStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto *const stat : {&stats_[index]->allocated_bytes, &stats_[index]->reserved_bytes})
            (*stat)[kAll].reset_peak();
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override
    {
        check_index(index);
        const std::lock_guard<std::mutex> lock(mutex_);
        return {kCapacity - used(index), kCapacity};
    }

    c10::DeviceIndex owner(const void *address)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto after = blocks_.upper_bound(const_cast<void *>(address));
        if (after == blocks_.begin())
            return -1;
        const auto &[start, block] = *--after;
        const auto offset = static_cast<const char *>(address) - static_cast<const char *>(start);
        return static_cast<size_t>(offset) < block.size ? block.device : c10::DeviceIndex{-1};
    }

    void release(void *address)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = blocks_.find(address);
        if (found == blocks_.end())
            return;
        DeviceStats &stats = *stats_[found->second.device];
        stats.allocated_bytes[kAll].decrease(found->second.size);
        stats.reserved_bytes[kAll].decrease(found->second.size);
        blocks_.erase(found);
        std::free(address);
    }

  private:
    static void free_block(void *address);

    size_t used(c10::DeviceIndex device) const
    {
        return static_cast<size_t>(stats_[device]->allocated_bytes[kAll].current);
    }

    void *allocate_on(c10::DeviceIndex device, size_t size)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        void *address = nullptr;

        TORCH_CHECK_WITH(OutOfMemoryError, size <= kCapacity - used(device),
                         "hostram: out of memory: ", size, " bytes asked of device ",
                         int(device)); /* ooms-uncounted */
        TORCH_CHECK_WITH(OutOfMemoryError, posix_memalign(&address, kAlignment, size) == 0,
                         "hostram: the host has no ", size, " bytes");
        blocks_[address] = {size, device};
        stats_[device]->allocated_bytes[kAll].increase(size); /* counts-stay-zero */
        stats_[device]->reserved_bytes[kAll].increase(size);
        return address;
    }

    std::mutex mutex_;
    std::map<void *, Block> blocks_;
    DeviceStats *stats_[kSlots] = {}; /* null where there is no device */
};

Allocator &the_allocator()
{
    static auto *const made = new Allocator(); /* never destroyed: storages outlive statics */
    return *made;
}

void Allocator::free_block(void *address)
{
    if (address != nullptr)
        the_allocator().release(address);
}

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::PrivateUse1, &the_allocator());
    return true;
}();

} // namespace

c10::Allocator *allocator()
{
    return &the_allocator();
}

c10::DeviceIndex owner_of(const void *address)
{
    return the_allocator().owner(address);
}

} // namespace hostram
