/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device allocator: the memory behind every device tensor.
 *
 * A c10::DeviceAllocator, for torch.accelerator.empty_cache() and memory_stats(). Any thread may
 * free a block while any device is current. An allocation of zero bytes is a null pointer that has
 * a device. The context of a DataPtr equals its pointer, because raw_allocate relies on it.
 */
#include "foo.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <mutex>

namespace foo
{

namespace
{

using c10::DeviceAllocator;             /* @with statistics */
using DeviceAllocator = c10::Allocator; /* @without statistics */
using c10::CachingDeviceAllocator::DeviceStats;

constexpr size_t kMostDevices = 128;
constexpr auto kAll = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

struct Statistics {
    std::mutex mutex;
    DeviceStats of[kMostDevices];

    void add(int device, int64_t bytes)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        DeviceStats &stats = of[device];
        change(stats.allocation, bytes < 0, 1);
        change(stats.active, bytes < 0, 1);
        change(stats.segment, bytes < 0, 1); /* each block is one segment */
        change(stats.allocated_bytes, bytes < 0, bytes);
        change(stats.requested_bytes, bytes < 0, bytes);
        change(stats.active_bytes, bytes < 0, bytes);
        change(stats.reserved_bytes, bytes < 0, bytes);
    }

    void count_exhaustion(int device)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        of[device].num_ooms++;
    }

  private:
    static void change(c10::CachingAllocator::StatArray &stat, bool less, int64_t amount)
    {
        const auto size = static_cast<size_t>(amount < 0 ? -amount : amount);
        if (less)
            stat[kAll].decrease(size);
        else
            stat[kAll].increase(size);
    }
};

Statistics &statistics()
{
    static auto *const instance = new Statistics(); /* blocks are freed after static destructors */
    return *instance;
}

/* The stream that this thread uses on the device of a block. */
foo_stream *stream_of_block(const void *address)
{
    int device = 0;
    size_t bytes = 0;
    check(foo_find(address, &device, &bytes), "copy data");
    return current_stream(static_cast<c10::DeviceIndex>(device));
}

/* Runs in destructors, so it neither throws nor switches the device. */
void free_block(void *address)
{
    int device = 0;
    size_t bytes = 0;
    if (!address || foo_find(address, &device, &bytes) != FOO_OK || foo_free(address) != FOO_OK)
        return;
    statistics().add(device, -static_cast<int64_t>(bytes));
}

struct Allocator final : DeviceAllocator {
    c10::DataPtr allocate(size_t size) override
    {
        const c10::DeviceIndex device = resolve(-1, "allocate");
        void *address = nullptr;
        if (size > 0) {
            const int error = foo_allocate(device, size, &address);
            if (error == FOO_NO_MEMORY)
                statistics().count_exhaustion(device);
            check(error, "allocate");
            statistics().add(device, static_cast<int64_t>(size));
        }
        return {address, address, &free_block, device_of(device)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &free_block;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        if (count == 0) /* the addresses may be null in this case */
            return;
        /* Both devices may differ from the current device, and both may have pending work on their
         * block. */
        foo_stream *const reads = stream_of_block(from), *const writes = stream_of_block(to);
        if (reads != writes)
            check(foo_stream_synchronize(reads), "copy data");
        check(foo_copy(writes, to, from, count), "copy data");
        check(foo_stream_synchronize(writes), "copy data");
    }

    /* @with statistics */
    bool initialized() override
    {
        return foo_device_count() > 0;
    }

    void emptyCache(c10::MempoolId_t) override
    {
        /* Nothing is cached. */
    }

    void recordStream(const c10::DataPtr &, c10::Stream) override
    {
        /* The runtime reuses a freed block only after all streams of its device have passed. */
    }

    DeviceStats getDeviceStats(c10::DeviceIndex index) override
    {
        Statistics &all = statistics();
        const c10::DeviceIndex device = resolve(index, "memory statistics");
        const std::lock_guard<std::mutex> lock(all.mutex);
        return all.of[device];
    }

    void resetAccumulatedStats(c10::DeviceIndex index) override
    {
        for_each_stat(index, [](auto &stat) { stat.reset_accumulated(); });
        const std::lock_guard<std::mutex> lock(statistics().mutex);
        statistics().of[resolve(index, "reset memory statistics")].num_ooms = 0;
    }

    void resetPeakStats(c10::DeviceIndex index) override
    {
        for_each_stat(index, [](auto &stat) { stat.reset_peak(); });
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex index) override
    {
        size_t free_bytes = 0, total_bytes = 0;
        check(foo_memory(resolve(index, "memory info"), &free_bytes, &total_bytes), "memory info");
        return {free_bytes, total_bytes};
    }

  private:
    template <typename Function>
    static void for_each_stat(c10::DeviceIndex index, Function reset)
    {
        Statistics &all = statistics();
        const c10::DeviceIndex device = resolve(index, "reset memory statistics");
        const std::lock_guard<std::mutex> lock(all.mutex);
        DeviceStats &stats = all.of[device];
        for (auto *stat : {&stats.allocation, &stats.active, &stats.segment, &stats.allocated_bytes,
                           &stats.requested_bytes, &stats.active_bytes, &stats.reserved_bytes})
            reset((*stat)[kAll]);
    }
    /* @end */
};

Allocator &instance()
{
    static auto *const made = new Allocator();
    return *made;
}

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::PrivateUse1, &instance());
    return true;
}();

} // namespace

c10::Allocator *allocator()
{
    return &instance();
}

} // namespace foo
