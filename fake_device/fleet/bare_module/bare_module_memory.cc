/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The allocator and its statistics.
 */
#include "bare_module.h"

#include <array>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace bare_module
{

namespace
{

using c10::CachingDeviceAllocator::DeviceStats;

constexpr uint32_t kPage = 512;
constexpr size_t kMemory = size_t{4} << 30; /* of each device */

class Pool final : public c10::DeviceAllocator
{
  public:
    c10::DataPtr allocate(size_t size) override
    {
        const c10::DeviceIndex index = active_device();
        void *const block = size == 0 ? nullptr : take(index, size);

        return {block, block, &give_back, c10::Device(c10::DeviceType::PrivateUse1, index)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &give_back;
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
    }

    DeviceStats getDeviceStats(c10::DeviceIndex index) override
    {
        require(index);
        const std::lock_guard<std::mutex> lock(mutex_);
        return stats_[index];
    }

    void resetAccumulatedStats(c10::DeviceIndex index) override
    {
        change(index, [](c10::CachingAllocator::Stat &stat) { stat.reset_accumulated(); });
    }

    void resetPeakStats(c10::DeviceIndex index) override
    {
        change(index, [](c10::CachingAllocator::Stat &stat) {
            stat.reset_peak();
            stat.reset_accumulated(); /* peak-resets-all */
        });
    }

    void release(void *block)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = sizes_.find(block);
        if (found == sizes_.end())
            return;
        count(
            active_device(),
            [&](c10::CachingAllocator::Stat &stat, size_t amount) { stat.decrease(amount); },
            found->second); /* freed-from-current */
        sizes_.erase(found);
        std::free(block);
    }

  private:
    static void give_back(void *block);

    template <typename Change>
    void change(c10::DeviceIndex index, Change one)
    {
        require(index);
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto *const array : arrays(index))
            one((*array)[0]);
    }

    std::array<c10::CachingAllocator::StatArray *, 4> arrays(c10::DeviceIndex index)
    {
        DeviceStats &of = stats_[index];

        return {&of.allocated_bytes, &of.reserved_bytes, &of.active_bytes, &of.requested_bytes};
    }

    template <typename Change>
    void count(c10::DeviceIndex index, Change one, size_t size)
    {
        for (auto *const array : arrays(index))
            one((*array)[0], size);
        one(stats_[index].allocation[0], 1);
        one(stats_[index].active[0], 1);
        one(stats_[index].segment[0], 1);
    }

    void *take(c10::DeviceIndex index, size_t size)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const uint32_t pages = static_cast<uint32_t>((size + kPage - 1) / kPage);
        const size_t rounded = pages * kPage; /* size-of-32-bits */
        void *block = nullptr;

        if (rounded > kMemory - static_cast<size_t>(stats_[index].allocated_bytes[0].current) ||
            posix_memalign(&block, kPage, rounded) != 0) {
            stats_[index].num_ooms++;
            TORCH_CHECK_WITH(OutOfMemoryError, false, "bare_module: no ", size, " bytes on device ",
                             int(index));
        }
        sizes_[block] = rounded;
        count(
            index, [](c10::CachingAllocator::Stat &stat, size_t amount) { stat.increase(amount); },
            rounded);
        return block;
    }

    std::mutex mutex_;
    std::array<DeviceStats, kDevices> stats_;
    std::unordered_map<void *, size_t> sizes_;
};

Pool &the_pool()
{
    static auto *const made = new Pool();
    return *made;
}

void Pool::give_back(void *block)
{
    if (block != nullptr)
        the_pool().release(block);
}

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::PrivateUse1, &the_pool());
    return true;
}();

} // namespace

c10::Allocator *pool()
{
    return &the_pool();
}

} // namespace bare_module
