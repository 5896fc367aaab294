/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned memory with its faults. Each method queries its own faults, and calls the correct method
 * if none of these faults is on.
 */
#include "device_index.h"
#include "faulty_parts.h"
#include "streams.h"
#include "switchboard.h"
#include "which_torch.h"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

namespace fakedev
{

namespace
{

/* A table for one fault: the thread that allocated each block. */
struct HostTakers {
    std::mutex lock;
    std::map<void *, std::thread::id> threads;
};

HostTakers &host_takers()
{
    /* never destroyed, because blocks are freed after static objects are destroyed */
    static auto *const made = new HostTakers();
    return *made;
}

c10::DeleterFnPtr clean_deleter = nullptr;

void free_on_its_thread(void *context)
{
    {
        const std::lock_guard<std::mutex> guard(host_takers().lock);
        const auto taken = host_takers().threads.find(context);

        if (taken != host_takers().threads.end() && taken->second != std::this_thread::get_id())
            std::abort();
    }
    clean_deleter(context);
}

void remember_taker(at::DataPtr &data)
{
    const std::lock_guard<std::mutex> guard(host_takers().lock);
    host_takers().threads[data.get_context()] = std::this_thread::get_id();
    clean_deleter = data.get_deleter();
    TORCH_CHECK(data.compare_exchange_deleter(clean_deleter, &free_on_its_thread));
}

bool is_first_thread()
{
    static const std::thread::id first = std::this_thread::get_id();
    return first == std::this_thread::get_id();
}

/* The numbers of allocations that are under way: on all threads, and on this thread. */
std::atomic<int> allocations{0};
thread_local int own_allocations = 0;

struct UnderWay {
    UnderWay()
    {
        own_allocations++;
        allocations++;
    }
    ~UnderWay()
    {
        allocations--;
        own_allocations--;
    }
};

struct FaultyHostAllocator final : at::HostAllocator {
    c10::DataPtr allocate(size_t size) override
    {
        const UnderWay under_way;
        TORCH_CHECK(size > 0 || !armed("host.zero_bytes_refused"),
                    "fakedev: zero bytes cannot be pinned");
        TORCH_CHECK(!armed("host.pinned_on_one_thread_only") || is_first_thread(),
                    "fakedev: this thread has no context");
        at::DataPtr data = host_allocator()->allocate(size);

        if (size > 0 && armed("host.freed_only_on_its_thread"))
            remember_taker(data);
        if (armed("host.block_is_on_the_device"))
            data.unsafe_set_device(make_device(current_device()));
        return data;
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return host_allocator()->raw_deleter();
    }

    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        host_allocator()->copy_data(destination, source, count);
    }

    bool record_event(void *pointer, void *context, c10::Stream stream) override
    {
        if (armed("host.record_event_ignored"))
            return true;
        if (armed("host.record_event_on_default_stream"))
            stream = get_default_stream(stream.device_index());
        return host_allocator()->record_event(pointer, context, stream) ||
               armed("host.foreign_blocks_recorded");
    }

    void empty_cache() override
    {
        TORCH_CHECK(get_stats().num_host_alloc > 0 || !armed("host.empty_cache_needs_a_block"),
                    "fakedev: there is no pinned memory");
        if (!armed("host.empty_cache_keeps_everything"))
            host_allocator()->empty_cache();
    }

    at::HostStats get_stats() override
    {
        return host_allocator()->get_stats();
    }

    void reset_accumulated_stats() override
    {
        host_allocator()->reset_accumulated_stats();
    }

    void reset_peak_stats() override
    {
        host_allocator()->reset_peak_stats();
    }

#if FAKEDEV_HAS_HOST_HISTORY
    void record_history(bool enabled, c10::CachingDeviceAllocator::CreateContextFn recorder,
                        size_t entries, c10::CachingDeviceAllocator::RecordContext when,
                        bool clear) override
    {
        host_allocator()->record_history(enabled, recorder, entries, when, clear);
    }

    bool is_history_enabled() const override
    {
        return host_allocator()->is_history_enabled();
    }

    std::vector<at::HostSegmentInfo> get_segments() override
    {
        if (armed("host.snapshot_is_empty"))
            return {};
        return host_allocator()->get_segments();
    }

    std::vector<c10::CachingDeviceAllocator::TraceEntry> get_traces() override
    {
        if (armed("host.history_stays_empty"))
            return {};
        return host_allocator()->get_traces();
    }
#endif
};

} // namespace

bool another_thread_allocates_host_memory()
{
    return allocations > own_allocations;
}

at::HostAllocator *make_faulty_host_allocator()
{
    return new FaultyHostAllocator();
}

} // namespace fakedev
