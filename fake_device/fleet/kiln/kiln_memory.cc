/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the devices, and memory of the host that they reach. A freed block is kept for the stream that was
 * current when it was made: what comes next there finds it free, since orders of a stream are done in turn.
 */
#include "kiln.h"

#include <ATen/core/CachingHostAllocator.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace kiln
{

namespace
{

using c10::CachingAllocator::Stat;
using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kGrain = 512;
constexpr size_t kCapacity = size_t{4} << 30; /* of each device */

struct Block {
    c10::Stream stream;
    size_t size;  /* a multiple of the grain */
    size_t asked; /* by the user */
};

using Place = std::pair<c10::Stream, size_t>;

struct Earlier {
    bool operator()(const Place &one, const Place &other) const
    {
        const auto key = [](const Place &place) {
            return std::tuple(place.first.device_index(), place.first.id(), place.second);
        };
        return key(one) < key(other);
    }
};

class Memory final : public c10::DeviceAllocator
{
  public:
    c10::DataPtr allocate(size_t size) override
    {
        require_lit();
        const c10::Stream stream = current_stream(-1);
        void *const address = size == 0 ? nullptr : take(stream, size);
        return {address, address, &give_back, stream.device()};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &give_back;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        wait_for(queue(current_stream(-1)));
        std::memmove(to, from, count);
    }

    bool initialized() override
    {
        return is_lit();
    }

    void emptyCache(c10::MempoolId_t) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        drop_kept();
    }

    void recordStream(const c10::DataPtr &, c10::Stream) override
    {
        /* recorded-tensor-is-reused */
    }

    DeviceStats getDeviceStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return of(index);
    }

    void resetAccumulatedStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        DeviceStats &stats = of(index);
        for (Stat *const stat : all(stats))
            stat->reset_accumulated();
        stats.num_ooms = stats.num_alloc_retries = 0;
    }

    void resetPeakStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Stat *const stat : all(of(index)))
            stat->reset_peak();
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return {kCapacity - reserved(of(index)), kCapacity};
    }

    bool was_used(c10::DeviceIndex index)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return of(index).allocation[0].allocated > 0 || of(index).allocation[0].peak > 0;
    }

    c10::DeviceIndex owner(const void *address)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto after = blocks_.upper_bound(static_cast<const char *>(address));
        if (after != blocks_.begin()) {
            const auto &[begin, block] = *std::prev(after);
            if (static_cast<const char *>(address) < begin + block.size)
                return block.stream.device_index();
        }
        TORCH_CHECK(false, "kiln: that address is none of its memory");
    }

  private:
    static void give_back(void *address);

    static std::array<Stat *, 7> all(DeviceStats &stats)
    {
        return {&stats.allocated_bytes[0], &stats.requested_bytes[0], &stats.active_bytes[0],
                &stats.reserved_bytes[0],  &stats.allocation[0],      &stats.active[0],
                &stats.segment[0]};
    }

    static size_t reserved(DeviceStats &stats)
    {
        return static_cast<size_t>(stats.reserved_bytes[0].current);
    }

    DeviceStats &of(c10::DeviceIndex index)
    {
        return stats_[static_cast<size_t>(device(index).index())];
    }

    void *take(const c10::Stream &stream, size_t size)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        DeviceStats &stats = of(stream.device_index());
        if (size > kCapacity)
            refuse(stats, size);
        const size_t whole = (size + kGrain - 1) / kGrain * kGrain;
        void *const address = kept_or_new(stream, whole, stats);
        blocks_.emplace(static_cast<char *>(address), Block{stream, whole, size});
        for (Stat *const stat : {&stats.allocated_bytes[0], &stats.active_bytes[0]})
            stat->increase(whole);
        stats.requested_bytes[0].increase(size);
        stats.allocation[0].increase(1);
        stats.active[0].increase(1);
        return address;
    }

    void *kept_or_new(const c10::Stream &stream, size_t whole, DeviceStats &stats)
    {
        const auto found = kept_.find({stream, whole});
        if (found != kept_.end()) {
            void *const address = found->second;
            kept_.erase(found);
            return address;
        }
        if (whole > kCapacity - reserved(stats)) {
            stats.num_alloc_retries++;
            drop_kept();
        }
        void *const address =
            whole > kCapacity - reserved(stats) ? nullptr : std::aligned_alloc(kGrain, whole);
        if (address == nullptr)
            refuse(stats, whole);
        stats.reserved_bytes[0].increase(whole);
        stats.segment[0].increase(1);
        return address;
    }

    [[noreturn]] static void refuse(DeviceStats &stats, size_t size)
    {
        stats.num_ooms++;
        TORCH_CHECK_WITH(OutOfMemoryError, false, "kiln: there is no room for ", size, " bytes");
    }

    void drop_kept()
    {
        for (const auto &[place, address] : kept_) {
            settle(queue(place.first));
            DeviceStats &stats = of(place.first.device_index());
            stats.reserved_bytes[0].decrease(place.second);
            stats.segment[0].decrease(1);
            std::free(address);
        }
        kept_.clear();
    }

    void keep(void *address)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = blocks_.find(static_cast<char *>(address));
        if (found == blocks_.end())
            return;
        const Block block = found->second;
        blocks_.erase(found);
        DeviceStats &stats = of(block.stream.device_index());
        for (Stat *const stat : {&stats.allocated_bytes[0], &stats.active_bytes[0]})
            stat->decrease(block.size);
        stats.requested_bytes[0].decrease(block.asked);
        stats.allocation[0].decrease(1);
        stats.active[0].decrease(1);
        kept_.emplace(Place{block.stream, block.size}, address);
    }

    std::mutex mutex_;
    std::array<DeviceStats, kDevices> stats_;
    std::map<const char *, Block> blocks_; /* in use */
    std::multimap<Place, void *, Earlier> kept_;
};

Memory *const the_memory = new Memory();

void Memory::give_back(void *address)
{
    if (address != nullptr)
        the_memory->keep(address);
}

/* ---- of the host ----------------------------------------------------------------------------------- */

class Pinned final : public at::HostAllocator
{
  public:
    c10::DataPtr allocate(size_t size) override
    {
        if (size == 0)
            return {nullptr, nullptr, &give_back, c10::DeviceType::CPU};
        void *const address = std::aligned_alloc(64, (size + 63) / 64 * 64);
        TORCH_CHECK_WITH(OutOfMemoryError, address != nullptr, "kiln: no memory can be pinned");
        const std::lock_guard<std::mutex> lock(mutex_);
        blocks_.insert(address);
        return {address, address, &give_back, c10::DeviceType::CPU};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &give_back;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }

    /* Nothing need be remembered: before a block goes, all orders are done. */
    bool record_event(void *address, void *context, c10::Stream) override
    {
        return has(address) || has(context);
    }

    void empty_cache() override
    {
    }

    at::HostStats get_stats() override
    {
        return {};
    }

    void reset_accumulated_stats() override
    {
    }

    void reset_peak_stats() override
    {
    }

    bool has(const void *address)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return blocks_.count(const_cast<void *>(address)) > 0; /* pinned-by-first-address */
    }

  private:
    static void give_back(void *address);

    std::mutex mutex_;
    std::set<void *> blocks_;
};

Pinned *const the_pinned = new Pinned();

void Pinned::give_back(void *address)
{
    settle_all();
    const std::lock_guard<std::mutex> lock(the_pinned->mutex_);
    the_pinned->blocks_.erase(address);
    std::free(address);
}

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::PrivateUse1, the_memory);
    at::setHostAllocator(c10::DeviceType::PrivateUse1, the_pinned);
    return true;
}();

} // namespace

c10::DeviceAllocator *memory()
{
    return the_memory;
}

at::Allocator *pinned_memory()
{
    return the_pinned;
}

bool is_pinned(const void *address)
{
    return the_pinned->has(address);
}

bool is_in_use(c10::DeviceIndex index)
{
    return the_memory->was_used(index);
}

c10::DeviceIndex owner(const void *address)
{
    return the_memory->owner(address);
}

} // namespace kiln
