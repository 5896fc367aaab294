/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory, for copies that need not block. PyTorch always needs pinned memory: it uses
 * such memory for every non-blocking copy to the CPU, and empties the cache by itself. PyTorch's
 * caching allocator calls the four primitives in this file. A block that a copy still reads is not
 * reused before the copy is done.
 */
#include "foo.h"

#include <ATen/core/CachingHostAllocator.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace foo
{

namespace
{

constexpr size_t kAlignment = 64;

/* Blocks that are in use. A freed block in the cache does not count as pinned memory of the
 * program. */
struct Held {
    std::mutex mutex;
    std::map<uintptr_t, size_t> blocks;
};

Held &held()
{
    static auto *const instance = new Held();
    return *instance;
}

struct EventDeleter {
    void operator()(foo_event *event) const
    {
        (void)foo_event_destroy(event);
    }
};
using Event = std::unique_ptr<foo_event, EventDeleter>;

struct Impl final : at::CachingHostAllocatorImpl<c10::Stream, Event> {
    using Base = at::CachingHostAllocatorImpl<c10::Stream, Event>;
    using Block = at::HostBlock<c10::Stream>;

    std::pair<void *, void *> allocate(size_t size) override
    {
        const auto result = Base::allocate(size);
        if (result.first) {
            const std::lock_guard<std::mutex> lock(held().mutex);
            held().blocks[reinterpret_cast<uintptr_t>(result.first)] = size;
        }
        return result;
    }

    void free(void *context) override
    {
        if (context) {
            const std::lock_guard<std::mutex> lock(held().mutex);
            held().blocks.erase(reinterpret_cast<uintptr_t>(static_cast<Block *>(context)->ptr_));
        }
        Base::free(context);
    }

    void copy_data(void *to, const void *from, std::size_t count) const override
    {
        std::memcpy(to, from, count);
    }

  private:
    void allocate_host_memory(size_t size, void **address) override
    {
        check(posix_memalign(address, kAlignment, size) == 0 ? FOO_OK : FOO_NO_MEMORY,
              "allocate pinned memory");
    }

    void free_block(Block *block) override
    {
        std::free(block->ptr_);
    }

    void record_stream(std::optional<std::vector<Event>> &events, c10::Stream stream) override
    {
        foo_event *event = nullptr;
        check(foo_event_create(&event), "create event");
        events->emplace_back(event);
        check(foo_event_record(event, runtime_stream(stream)), "record event");
    }

    bool query_event(Event &event) override
    {
        return foo_event_query(event.get()) != FOO_NOT_READY;
    }
};

void free_pinned(void *context);

struct PinnedAllocator final : at::CachingHostAllocatorInterface<Impl, &free_pinned> {
};

PinnedAllocator &instance()
{
    static auto *const made = new PinnedAllocator(); /* tensors outlive static objects */
    return *made;
}

void free_pinned(void *context)
{
    instance().free(context);
}

const bool registered = [] {
    at::setHostAllocator(c10::DeviceType::PrivateUse1, &instance());
    return true;
}();

} // namespace

at::Allocator *pinned_allocator()
{
    return &instance();
}

bool is_pinned(const void *address) noexcept
{
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    const std::lock_guard<std::mutex> lock(held().mutex);
    auto after = held().blocks.upper_bound(wanted);
    if (!address || after == held().blocks.begin())
        return false;
    --after;
    return wanted - after->first < after->second;
}

void keep_until_passed(const at::Tensor &host, c10::Stream stream)
{
    instance().record_event(const_cast<void *>(host.const_data_ptr()),
                            host.storage().data_ptr().get_context(), stream);
}

} // namespace foo
