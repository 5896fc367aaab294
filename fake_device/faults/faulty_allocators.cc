/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device allocator with its faults. Each method queries its own faults, and calls the correct
 * method if none of these faults is on.
 */
#include "faulty_parts.h"

#include "allocator_stats.h"
#include "device_index.h"
#include "faulty_statistics.h"
#include "refusing.h"
#include "status.h"
#include "streams.h"
#include "switchboard.h"

#include <cstdlib>
#include <memory>
#include <optional>

namespace fakedev
{

namespace
{

DeviceAllocator &clean()
{
    static auto *const allocator = new DeviceAllocator();
    return *allocator;
}

/* ---- deleters ---- */

void free_block(void *pointer)
{
    struct fd_block block = {-1, nullptr, 0, 0};
    TORCH_CHECK(pointer || !armed("allocator.deleter_rejects_null"),
                "fakedev: a null pointer cannot be freed");
    TORCH_CHECK(!statics_are_gone() || !armed("allocator.free_crashes_at_exit"),
                "fakedev: the runtime was shut down");
    const bool live = pointer && fd_memory_find(pointer, &block) == FD_OK && block.device >= 0;
    struct fd_properties properties;
    TORCH_CHECK(!live || !armed("allocator.free_asks_the_driver") ||
                    fd_device_properties(block.device, &properties) == FD_OK,
                "fakedev: free: the driver does not answer");
    if (live && armed("allocator.free_switches_device"))
        (void)fd_device_set(block.device);
    if (live && armed("allocator.free_only_on_current") && block.device != current_device())
        return;
    if (live)
        block_given(pointer, static_cast<c10::DeviceIndex>(block.device), block.reserved);
    if (armed("allocator.profiler_not_told"))
        (void)fd_memory_free(pointer);
    else
        clean().raw_deleter()(pointer);
}

void free_block_otherwise(void *pointer)
{
    free_block(pointer);
}

void keep_block(void *)
{
}

/* Uses a separate context object, like a backend that stores more than the address. */
void free_boxed_block(void *context)
{
    const std::unique_ptr<void *> box(static_cast<void **>(context));
    if (box)
        free_block(*box);
}

/* ---- the allocator ---- */

/* Copies on the destination's stream without waiting for the other devices. */
void copy_at_once(void *destination, const void *source, std::size_t count)
{
    struct fd_block block;
    check(fd_memory_find(destination, &block), "copy data");
    fd_stream *const stream = current_stream(static_cast<c10::DeviceIndex>(block.device));
    check(fd_memory_copy_async(destination, source, count, stream), "copy data");
    check(fd_stream_synchronize(stream), "copy data");
}

/* Returns the device that the allocator writes into a block. */
c10::DeviceIndex said(c10::DeviceIndex device)
{
    if (armed("allocator.block_says_minus_one"))
        return -1;
    return armed("allocator.block_says_device_zero") ? 0 : device;
}

c10::DataPtr allocate_or_null(size_t size)
{
    try {
        return clean().allocate(size);
    } catch (const c10::OutOfMemoryError &error) {
        if (armed("allocator.returns_null"))
            return {nullptr, make_device(current_device())};
        TORCH_CHECK(!armed("allocator.exhaustion_is_a_plain_error"),
                    error.what_without_backtrace());
        throw;
    }
}

/* Allocates directly from the driver, so that the profiler is not informed. */
c10::DataPtr allocate_untold(size_t size)
{
    void *pointer = nullptr;
    const c10::DeviceIndex device = current_device();
    fd_stream *stream = nullptr;
    check(fd_stream_get_current(device, &stream), "allocate");
    if (size)
        check(fd_memory_allocate(device, size, stream, &pointer), "allocate");
    return {pointer, pointer, &free_block, make_device(device)};
}

size_t spoiled_size(size_t size)
{
    if (size == 0 && armed("allocator.zero_bytes_take_a_block"))
        return 1;
    if (size > UINT32_MAX && armed("allocator.size_truncated"))
        return size & UINT32_MAX;
    return size;
}

struct FaultyAllocator : DeviceAllocator {
    c10::DataPtr allocate(size_t size) override
    {
        std::optional<DeviceScope> scope;
        if (armed("allocator.always_device_zero"))
            scope.emplace(0);
        if (armed("allocator.replaced_at_first_use"))
            register_plain_allocator();
        c10::DataPtr data = armed("allocator.profiler_not_told")
                                ? allocate_untold(spoiled_size(size))
                                : allocate_or_null(spoiled_size(size));
        void *const pointer = data.release_context();
        const c10::DeviceIndex device = data.device().index();
        block_taken(pointer);
        if (pointer && armed("allocator.context_is_not_pointer"))
            return {pointer, new void *(pointer), &free_boxed_block, make_device(device)};
        return {pointer, pointer, &free_block, make_device(said(device))};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        if (armed("allocator.raw_deleter_does_nothing"))
            return &keep_block;
        return armed("allocator.raw_deleter_differs") ? &free_block_otherwise : &free_block;
    }

    bool is_simple_data_ptr(const c10::DataPtr &data) const override
    {
        return armed("allocator.everything_is_simple") || DeviceAllocator::is_simple_data_ptr(data);
    }

    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        if (count > 0 && armed("allocator.copy_data_drops_last_byte"))
            count--;
        if (count > 0 && armed("allocator.copy_data_overtakes_other_devices"))
            return copy_at_once(destination, source, count);
        DeviceAllocator::copy_data(destination, source, count);
    }

    bool initialized() override
    {
        if (fd_started() != 1 && armed("allocator.initialized_crashes_before_start"))
            std::abort();
        return !armed("allocator.initialized_stays_false") && DeviceAllocator::initialized();
    }

    void emptyCache(c10::MempoolId_t pool) override
    {
        if (armed("allocator.empty_cache_of_current_device"))
            check(fd_memory_empty_cache(current_device()), "empty cache");
        else
            DeviceAllocator::emptyCache(pool);
    }

    void recordStream(const c10::DataPtr &data, c10::Stream stream) override
    {
        if (!armed("allocator.record_stream_ignored"))
            DeviceAllocator::recordStream(data, stream);
    }

    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override
    {
        const c10::DeviceIndex asked = device_of_statistics(device);
        c10::CachingDeviceAllocator::DeviceStats stats = DeviceAllocator::getDeviceStats(asked);
        spoil_statistics(stats, asked);
        return stats;
    }

    void resetAccumulatedStats(c10::DeviceIndex device) override
    {
        if (!armed("stats.accumulated_reset_does_nothing"))
            DeviceAllocator::resetAccumulatedStats(device_of_reset(device));
    }

    void resetPeakStats(c10::DeviceIndex device) override
    {
        if (armed("stats.peak_reset_clears_sums"))
            DeviceAllocator::resetAccumulatedStats(device);
        if (!armed("stats.reset_peak_does_nothing"))
            DeviceAllocator::resetPeakStats(device_of_reset(device));
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override
    {
        if (armed("stats.info_needs_a_block") &&
            memory_stats(current_device()).num_device_alloc == 0)
            std::abort();
        return DeviceAllocator::getMemoryInfo(device);
    }
};

struct PlainAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override
    {
        return clean().allocate(size);
    }

    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        clean().copy_data(destination, source, count);
    }
};

} // namespace

c10::DeviceAllocator *make_faulty_allocator()
{
    return new RefusingAllocator<FaultyAllocator>();
}

void register_plain_allocator()
{
    static auto *const plain = new PlainAllocator(); /* lives until the process ends */
    c10::SetAllocator(c10::DeviceType::PrivateUse1, plain);
}

} // namespace fakedev
