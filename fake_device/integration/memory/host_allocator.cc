/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory: blocks that the device reads and writes directly, without the host.
 *
 * Purpose: Tensor.pin_memory(), factories with pin_memory=True, the DataLoader's pin thread,
 * torch.accelerator.empty_host_cache(). Core's caching allocator does the work. A backend supplies
 * four primitives: allocate, free, record an event on a stream, query an event.
 * If this file is removed, pin_memory raises, and once the device is in use
 * torch.accelerator.empty_host_cache() ends the process with SIGSEGV, because core does not check
 * for null.
 * Traps: a block that is freed while a copy still reads it must not be reused before the copy is
 * done (record_event). A capturing stream accepts no event, and each replay of the graph reads the
 * block again: such a block must never be reused. is_pinned() must return false for a cached block,
 * so it searches only the blocks in use. Blocks are freed on any thread.
 * Serves: HOST-001 to HOST-029, HOST-032, ALLOC-033, ACC-020.
 */
#include "host_allocator.h"

#include "status.h"
#include "streams.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace fakedev
{

namespace
{

/* Blocks that are in use, by base address. */
class HeldBlocks
{
  public:
    void add(void *base, size_t size)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        blocks_[reinterpret_cast<uintptr_t>(base)] = size;
    }

    void remove(void *base)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        blocks_.erase(reinterpret_cast<uintptr_t>(base));
    }

    bool contains(const void *pointer)
    {
        const auto address = reinterpret_cast<uintptr_t>(pointer);
        const std::lock_guard<std::mutex> lock(mutex_);
        auto next = blocks_.upper_bound(address);
        if (next == blocks_.begin())
            return false;
        --next;
        return address - next->first < next->second;
    }

  private:
    std::mutex mutex_;
    std::map<uintptr_t, size_t> blocks_;
};

HeldBlocks &held_blocks()
{
    static auto *const blocks = new HeldBlocks();
    return *blocks;
}

struct EventDeleter {
    void operator()(fd_event *event) const
    {
        (void)fd_event_destroy(event);
    }
};
using Event = std::unique_ptr<fd_event, EventDeleter>;

struct Impl final : at::CachingHostAllocatorImpl<c10::Stream, Event> {
    using Block = at::HostBlock<c10::Stream>;

    std::pair<void *, void *> allocate(size_t size) override
    {
        const auto result = at::CachingHostAllocatorImpl<c10::Stream, Event>::allocate(size);
        if (result.first)
            held_blocks().add(result.first, size);
        return result;
    }

    void free(void *context) override
    {
        if (context)
            held_blocks().remove(static_cast<Block *>(context)->ptr_);
        at::CachingHostAllocatorImpl<c10::Stream, Event>::free(context);
    }

    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        std::memcpy(destination, source, count);
    }

  private:
    void allocate_host_memory(size_t size, void **pointer) override
    {
        check(fd_host_allocate(size, pointer), "allocate pinned memory");
    }

    void free_block(Block *block) override
    {
        (void)fd_host_free(block->ptr_);
    }

    void record_stream(std::optional<std::vector<Event>> &events, c10::Stream stream) override
    {
        fd_event *event = nullptr;
        if (is_capturing(stream))
            /* no event is added, so the block is never reused: each replay of the graph reads it */
            return;
        check(fd_event_create(0, &event), "create event");
        events->emplace_back(event);
        check(fd_event_record(event, to_driver(stream)), "record event");
    }

    bool query_event(Event &event) override
    {
        return fd_event_query(event.get()) != FD_ERROR_NOT_READY; /* an error also ends the wait */
    }
};

void free_host_block(void *context);

struct HostAllocator final : at::CachingHostAllocatorInterface<Impl, &free_host_block> {
};

HostAllocator &instance()
{
    /* never destroyed, because tensors may outlive static objects */
    static auto *const allocator = new HostAllocator();
    return *allocator;
}

void free_host_block(void *context)
{
    instance().free(context);
}

} // namespace

at::HostAllocator *host_allocator()
{
    return &instance();
}

bool is_live_host_block(const void *pointer) noexcept
{
    return pointer && held_blocks().contains(pointer);
}

} // namespace fakedev
