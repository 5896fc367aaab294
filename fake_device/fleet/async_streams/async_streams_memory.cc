/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the devices, and pinned memory of the host. A freed block stays reserved for the stream
 * that was current at its allocation. A later allocation on this stream can reuse the block
 * immediately, because work on one stream runs in order.
 */
#include "async_streams/async_streams.h"

#include <ATen/core/CachingHostAllocator.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace async_streams
{

namespace
{

class Memory final : public fleet::Memory
{
  public:
    c10::DataPtr allocate(size_t size) override
    {
        require_started();
        const c10::Stream stream = fleet::current_stream(-1);
        void *const address = size == 0 ? nullptr : take(stream, size);
        return {address, address, raw_deleter(), stream.device()};
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        wait_for(queue(fleet::current_stream(-1))); /* copy-data-waits-for-one */
        std::memmove(to, from, count);
    }

    bool initialized() override
    {
        return is_started();
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

  private:
    /* Key of a free block: device, stream and size. */
    using Place = std::tuple<c10::DeviceIndex, c10::StreamId, size_t>;

    void *take(const c10::Stream &stream, size_t size)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Block block{stream.device_index(), rounded(size), size};
        Stats &stats = stats_of(block.device);
        void *const address = kept_or_new({block.device, stream.id(), block.size}, stats);
        blocks_[static_cast<char *>(address)] = block;
        streams_[address] = stream.id();
        count(stats, block, &Stat::increase);
        fleet::mark_used(block.device);
        return address;
    }

    void *kept_or_new(const Place &place, Stats &stats)
    {
        const auto found = kept_.find(place);
        if (found != kept_.end()) {
            void *const address = found->second;
            kept_.erase(found);
            return address;
        }
        const size_t size = std::get<size_t>(place);
        const auto left = [&] {
            return kCapacity - static_cast<size_t>(stats.reserved_bytes[0].current);
        };
        if (size > left()) {
            stats.num_alloc_retries++;
            drop_kept();
        }
        void *const address = size > left() ? nullptr : std::aligned_alloc(kGrain, size);
        if (address == nullptr)
            refuse(stats, size);
        stats.reserved_bytes[0].increase(size);
        stats.segment[0].increase(1);
        return address;
    }

    void drop_kept()
    {
        for (const auto &[place, address] : kept_) {
            const auto &[index, stream, size] = place;
            settle(queue(c10::Stream(c10::Stream::UNSAFE, fleet::device(index), stream)));
            stats_of(index).reserved_bytes[0].decrease(size);
            stats_of(index).segment[0].decrease(1);
            std::free(address);
        }
        kept_.clear();
    }

    /* A freed block that waits for reuse on its stream is still counted as reserved. */
    void count(Stats &stats, const Block &block, Change change) override
    {
        for (Stat *const stat : {&stats.allocated_bytes[0], &stats.active_bytes[0]})
            (stat->*change)(block.size);
        (stats.requested_bytes[0].*change)(block.asked);
        for (Stat *const stat : {&stats.allocation[0], &stats.active[0]})
            (stat->*change)(1);
    }

    void discard(void *address, const Block &block) override
    {
        const c10::StreamId stream = streams_.extract(address).mapped();
        kept_.emplace(Place{block.device, stream, block.size}, address);
    }

    std::map<void *, c10::StreamId> streams_; /* the stream that was current when the block was
     * allocated */
    std::multimap<Place, void *> kept_;
};

/* ---- host memory
 * ----------------------------------------------------------------------------------- */

class Pinned final : public at::HostAllocator
{
  public:
    c10::DataPtr allocate(size_t size) override
    {
        if (size == 0)
            return {nullptr, nullptr, &give_back, c10::DeviceType::CPU};
        void *const address = std::aligned_alloc(64, (size + 63) / 64 * 64);
        TORCH_CHECK_WITH(OutOfMemoryError, address != nullptr,
                         "async_streams: no memory can be pinned");
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

    /* Records no event, because all work is done before a block is freed. */
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

const bool pinned_is_registered = [] {
    at::setHostAllocator(c10::DeviceType::PrivateUse1, the_pinned);
    return true;
}();

} // namespace

fleet::Memory *memory()
{
    static auto *const made = new Memory();
    return made;
}

at::Allocator *pinned_memory()
{
    return the_pinned;
}

bool is_pinned(const void *address)
{
    return the_pinned->has(address);
}

} // namespace async_streams
