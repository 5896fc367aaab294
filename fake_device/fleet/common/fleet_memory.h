/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Allocators without a defect, over memory of the host. Each block belongs to the device that was
 * current at its allocation. A backend overrides the methods with its defects.
 */
#ifndef FLEET_MEMORY_H
#define FLEET_MEMORY_H

#include "fleet_device.h"

#include <array>
#include <map>
#include <mutex>
#include <vector>

namespace fleet
{

/* This class is no c10::DeviceAllocator, so torch.accelerator has no statistics: no-statistics. */
struct PlainMemory : c10::Allocator {
    c10::DataPtr allocate(size_t size) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void *to, const void *from, size_t count) const override;
};

class Memory : public c10::DeviceAllocator
{
  public:
    c10::DataPtr allocate(size_t size) override;
    c10::DeleterFnPtr raw_deleter() const override;
    void copy_data(void *to, const void *from, size_t count) const override;
    bool initialized() override;
    void emptyCache(c10::MempoolId_t pool) override;
    void recordStream(const c10::DataPtr &data, c10::Stream stream) override;
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex index) override;
    void resetAccumulatedStats(c10::DeviceIndex index) override;
    void resetPeakStats(c10::DeviceIndex index) override;
    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override;

    c10::DeviceIndex
    owner(const void *address); /* throws if no block of a device has the address */

  protected:
    using Stat = c10::CachingAllocator::Stat;
    using Stats = c10::CachingDeviceAllocator::DeviceStats;
    using Change = void (Stat::*)(size_t amount); /* increases or decreases a counter */

    struct Block {
        c10::DeviceIndex device;
        size_t size;  /* a multiple of kGrain */
        size_t asked; /* requested by the caller */
    };

    static constexpr size_t kGrain = 512;
    static constexpr size_t kCapacity = size_t{4} << 30; /* per device */

    /* The caller must hold mutex_ for all of these functions. */
    virtual size_t rounded(size_t size) const;
    virtual void count(Stats &stats, const Block &block, Change change);
    virtual void count_failure(Stats &stats);
    virtual c10::DeviceIndex device_of_freed(const Block &block) const;
    Stats &stats_of(c10::DeviceIndex index); /* throws if there is no such device */
    static std::vector<Stat *> bytes_in(Stats &stats);
    static std::vector<Stat *> all_in(Stats &stats);
    [[noreturn]] void refuse(Stats &stats, size_t size);

    virtual void discard(void *address, const Block &block);

    std::mutex mutex_;
    std::array<Stats, 128> stats_; /* one per possible c10::DeviceIndex */
    std::map<const char *, Block> blocks_;

  private:
    static void give_back(void *address);
    void release(void *address);
    void *take(c10::DeviceIndex index, size_t size);
};

} // namespace fleet

#endif
