// SPDX-License-Identifier: BSD-3-Clause
//
// Pinned host memory, through the HostAllocator that a backend registers.
#include "bridge_internal.h"

#include <ATen/core/CachingHostAllocator.h>

namespace
{

at::HostAllocator &host_allocator()
{
    at::HostAllocator *const found = at::getHostAllocator(c10::kPrivateUse1);
    TORCH_CHECK(found != nullptr, "No HostAllocator is registered for PrivateUse1.");
    return *found;
}

} // namespace

int32_t bridge_host_registered(void)
{
    int32_t registered = 0;
    // Some versions throw instead of returning null; both mean that there is no allocator.
    const int32_t status = bridge::guarded(
        [&] { registered = at::getHostAllocator(c10::kPrivateUse1) != nullptr ? 1 : 0; });
    return status == ASSAY_OK ? registered : 0;
}

const void *bridge_host_identity(void)
{
    return bridge_host_registered() ? &host_allocator() : nullptr;
}

int32_t bridge_host_allocate(uint64_t size, struct bridge_block *block)
{
    return bridge::guarded([&] { bridge::give(host_allocator().allocate(size), block); });
}

int32_t bridge_host_record_event(const struct bridge_block *block, struct bridge_stream stream,
                                 int32_t *recorded)
{
    return bridge::guarded([&] {
        const bool done =
            host_allocator().record_event(block->data, block->context, bridge::stream(stream));
        *recorded = done ? 1 : 0;
    });
}

int32_t bridge_host_empty_cache(void)
{
    return bridge::guarded([] { host_allocator().empty_cache(); });
}

int32_t bridge_host_get_stats(struct bridge_host_stats *stats)
{
    return bridge::guarded([&] {
        const at::HostStats seen = host_allocator().get_stats();
        stats->taken = seen.num_host_alloc;
        stats->given_back = seen.num_host_free;
    });
}

int32_t bridge_host_reset_stats(void)
{
    return bridge::guarded([] {
        host_allocator().reset_accumulated_stats();
        host_allocator().reset_peak_stats();
    });
}

#if BRIDGE_HAS_HOST_HISTORY

namespace
{

using Entry = c10::CachingDeviceAllocator::TraceEntry;
using When = c10::CachingDeviceAllocator::RecordContext;

constexpr size_t REMEMBERED = 1000;

// Recorders of a context store stacks of Python or C++, which are not needed here.
std::shared_ptr<c10::GatheredContext> no_context()
{
    return nullptr;
}

} // namespace

int32_t bridge_host_record_history(int32_t enabled, int32_t *recording)
{
    return bridge::guarded([&] {
        at::HostAllocator &allocator = host_allocator();

        allocator.record_history(enabled != 0, no_context, REMEMBERED, When::NEVER, true);
        *recording = allocator.is_history_enabled() ? 1 : 0;
    });
}

int32_t bridge_host_told_of(const void *address, struct bridge_host_told *told)
{
    return bridge::guarded([&] {
        const auto wanted = reinterpret_cast<size_t>(address);

        *told = {};
        for (const at::HostSegmentInfo &segment : host_allocator().get_segments())
            told->segments += segment.allocated && wanted - segment.address < segment.size;
        for (const Entry &entry : host_allocator().get_traces()) {
            if (entry.addr_ != wanted)
                continue;
            told->taken += entry.action_ == Entry::ALLOC;
            told->given_back += entry.action_ == Entry::FREE_REQUESTED;
        }
    });
}

#else

int32_t bridge_host_record_history(int32_t, int32_t *)
{
    return bridge::refuse(ASSAY_EUNSUPPORTED, "this torch knows no history of pinned memory");
}

int32_t bridge_host_told_of(const void *, struct bridge_host_told *)
{
    return bridge::refuse(ASSAY_EUNSUPPORTED, "this torch knows no history of pinned memory");
}

#endif
