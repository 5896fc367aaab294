// SPDX-License-Identifier: BSD-3-Clause
//
// The device allocator: DataPtr by handle, the raw interface, statistics of a c10::DeviceAllocator.
#include "bridge_internal.h"

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <memory>

namespace bridge
{

void give(at::DataPtr &&pointer, bridge_block *block)
{
    auto owner = std::make_unique<at::DataPtr>(std::move(pointer));
    block->data = owner->get();
    block->context = owner->get_context();
    block->type = static_cast<int32_t>(owner->device().type());
    block->device = owner->device().index();
    block->owner = owner.release();
}

} // namespace bridge

namespace
{

c10::Allocator &allocator()
{
    c10::Allocator *const found = c10::GetAllocator(c10::kPrivateUse1);
    TORCH_CHECK(found != nullptr, "No allocator is registered for PrivateUse1.");
    return *found;
}

c10::DeviceAllocator &device_allocator()
{
    return *c10::getDeviceAllocator(c10::kPrivateUse1);
}

// Returns the index of the sum of all pools in each statistic.
constexpr auto ALL = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);

bridge_memory_stats flatten(const c10::CachingDeviceAllocator::DeviceStats &from)
{
    bridge_memory_stats to = {};
    to.allocated_bytes = from.allocated_bytes[ALL].current;
    to.allocated_bytes_peak = from.allocated_bytes[ALL].peak;
    to.allocated_bytes_total = from.allocated_bytes[ALL].allocated;
    to.freed_bytes_total = from.allocated_bytes[ALL].freed;
    to.reserved_bytes = from.reserved_bytes[ALL].current;
    to.reserved_bytes_peak = from.reserved_bytes[ALL].peak;
    to.active_bytes = from.active_bytes[ALL].current;
    to.inactive_bytes = from.inactive_split_bytes[ALL].current;
    to.requested_bytes = from.requested_bytes[ALL].current;
    to.allocations = from.allocation[ALL].current;
    to.retries = from.num_alloc_retries;
    to.out_of_memory = from.num_ooms;
    return to;
}

} // namespace

const void *bridge_allocator_identity(void)
{
    return c10::GetAllocator(c10::kPrivateUse1);
}

int32_t bridge_allocate(uint64_t size, struct bridge_block *block)
{
    return bridge::guarded([&] { bridge::give(allocator().allocate(size), block); });
}

int32_t bridge_block_free(struct bridge_block *block)
{
    return bridge::guarded([&] {
        std::unique_ptr<at::DataPtr> owner(bridge::pointer_of(block));
        *block = {};
        if (owner != nullptr)
            owner->clear();
    });
}

const void *bridge_block_deleter(const struct bridge_block *block)
{
    return reinterpret_cast<const void *>(bridge::pointer_of(block)->get_deleter());
}

int32_t bridge_block_delete_null(const struct bridge_block *block)
{
    return bridge::guarded([&] { bridge::pointer_of(block)->get_deleter()(nullptr); });
}

int32_t bridge_block_is_simple(const struct bridge_block *block, int32_t *simple)
{
    return bridge::guarded(
        [&] { *simple = allocator().is_simple_data_ptr(*bridge::pointer_of(block)) ? 1 : 0; });
}

int32_t bridge_raw_deleter(const void **deleter)
{
    return bridge::guarded(
        [&] { *deleter = reinterpret_cast<const void *>(allocator().raw_deleter()); });
}

int32_t bridge_raw_allocate(uint64_t size, void **pointer)
{
    return bridge::guarded([&] { *pointer = allocator().raw_allocate(size); });
}

int32_t bridge_raw_deallocate(void *pointer)
{
    return bridge::guarded([&] { allocator().raw_deallocate(pointer); });
}

int32_t bridge_copy_data(void *destination, const void *source, uint64_t size)
{
    return bridge::guarded([&] { allocator().copy_data(destination, source, size); });
}

int32_t bridge_block_clone(const void *data, uint64_t size, struct bridge_block *block)
{
    return bridge::guarded([&] { bridge::give(allocator().clone(data, size), block); });
}

int32_t bridge_allocator_has_stats(void)
{
    const auto *const found = c10::GetAllocator(c10::kPrivateUse1);
    return dynamic_cast<const c10::DeviceAllocator *>(found) != nullptr ? 1 : 0;
}

int32_t bridge_memory_get_stats(int32_t device, struct bridge_memory_stats *stats)
{
    return bridge::guarded([&] {
        const auto index = static_cast<c10::DeviceIndex>(device);
        *stats = flatten(device_allocator().getDeviceStats(index));
    });
}

int32_t bridge_memory_empty_cache(void)
{
    return bridge::guarded([] { device_allocator().emptyCache(); });
}

int32_t bridge_block_record_stream(const struct bridge_block *block, struct bridge_stream stream)
{
    return bridge::guarded([&] {
        const at::DataPtr none;
        const at::DataPtr *const pointer = bridge::pointer_of(block);
        device_allocator().recordStream(pointer != nullptr ? *pointer : none,
                                        bridge::stream(stream));
    });
}
