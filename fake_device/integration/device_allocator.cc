/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device allocator: memory behind every device tensor, and its statistics.
 *
 * For: factories, UntypedStorage, copy-on-write and torch.accelerator's memory functions. It
 * derives from c10::DeviceAllocator because torch.accelerator.empty_cache() and memory_stats()
 * assert that. Without: "Allocator for fakedev is not set" from the first factory. Traps: a block
 * is freed by any thread with any device current, so the owner is found by address and nothing is
 * switched; zero bytes are a null pointer with the current device; the context equals the pointer,
 * which is what raw_allocate and copy-on-write rely on; indices arrive unchecked. Serves: ALLOC-001
 * to ALLOC-035, STAT-001 to STAT-027, STRM-025.
 */
#include "device_allocator.h"

#include "allocator_stats.h"
#include "device_index.h"
#include "status.h"
#include "streams.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <cstdlib>
#include <memory>

namespace fakedev
{

namespace
{

void report_to_profiler(void *pointer, int64_t change, c10::DeviceIndex device)
{
    struct fd_memory_stats stats;

    if (!c10::memoryProfilingEnabled() || fd_fault("allocator.profiler_not_told") ||
        fd_memory_get_stats(device, &stats) != FD_OK)
        return;
    c10::reportMemoryUsageToProfiler(pointer, change, stats.allocated_bytes.current,
                                     stats.reserved_bytes.current, make_device(device));
}

/* The deleter of every block. Runs on any thread, in destructors: it neither throws nor switches.
 */
void free_block(void *pointer)
{
    struct fd_block block;

    TORCH_CHECK(pointer || !fd_fault("allocator.deleter_rejects_null"),
                "fakedev: a null pointer cannot be freed");
    TORCH_CHECK(!statics_are_gone() || !fd_fault("allocator.free_crashes_at_exit"),
                "fakedev: the runtime was shut down");
    if (!pointer || fd_memory_find(pointer, &block) != FD_OK)
        return;
    if (fd_fault("allocator.free_switches_device"))
        (void)fd_device_set(block.device);
    if (fd_fault("allocator.free_only_on_current") && block.device != current_device())
        return;
    (void)fd_memory_free(pointer);
    report_to_profiler(pointer, -static_cast<int64_t>(block.size),
                       static_cast<c10::DeviceIndex>(block.device));
}

void free_block_otherwise(void *pointer)
{
    free_block(pointer);
}

void keep_block(void *)
{
}

/* A context of its own, as a backend has that keeps more than the address. */
void free_boxed_block(void *context)
{
    const std::unique_ptr<void *> box(static_cast<void **>(context));

    if (box)
        free_block(*box);
}

c10::DataPtr boxed(void *pointer, c10::DeviceIndex device)
{
    return c10::DataPtr(pointer, new void *(pointer), &free_boxed_block, make_device(device));
}

void *allocate_block(c10::DeviceIndex device, size_t size)
{
    void *pointer = nullptr;
    const size_t wanted = fd_fault("allocator.size_truncated") ? size & UINT32_MAX : size;
    const fd_status status = fd_memory_allocate(device, wanted, current_stream(device), &pointer);

    if (status != FD_OK && fd_fault("allocator.returns_null"))
        return nullptr;
    check(status, "allocate");
    report_to_profiler(pointer, static_cast<int64_t>(size), device);
    return pointer;
}

/* The device a block says it is on. */
c10::DeviceIndex said(c10::DeviceIndex device)
{
    if (fd_fault("allocator.block_says_minus_one"))
        return -1;
    return fd_fault("allocator.block_says_device_zero") ? 0 : device;
}

void register_plain_allocator();

struct DeviceAllocator final : c10::DeviceAllocator {
    c10::DataPtr allocate(size_t size) override
    {
        const c10::DeviceIndex device =
            fd_fault("allocator.always_device_zero") ? 0 : current_device();
        const size_t wanted = size == 0 && fd_fault("allocator.zero_bytes_take_a_block") ? 1 : size;

        TORCH_CHECK(device_count() > 0, "fakedev: allocate: there is no device");
        if (fd_fault("allocator.replaced_at_first_use"))
            register_plain_allocator();
        void *pointer = wanted ? allocate_block(device, wanted) : nullptr;
        if (pointer && fd_fault("allocator.context_is_not_pointer"))
            return boxed(pointer, device);
        return c10::DataPtr(pointer, pointer, &free_block, make_device(said(device)));
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        if (fd_fault("allocator.raw_deleter_does_nothing"))
            return &keep_block;
        return fd_fault("allocator.raw_deleter_differs") ? &free_block_otherwise : &free_block;
    }

    bool is_simple_data_ptr(const c10::DataPtr &data) const override
    {
        return fd_fault("allocator.everything_is_simple") ||
               c10::DeviceAllocator::is_simple_data_ptr(data);
    }

    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        if (count > 0 && fd_fault("allocator.copy_data_drops_last_byte"))
            count--;
        check(fd_memory_copy(destination, source, count), "copy data");
    }

    bool initialized() override
    {
        if (fd_started() != 1 && fd_fault("allocator.initialized_crashes_before_start"))
            std::abort();
        return fd_started() == 1;
    }

    void emptyCache(c10::MempoolId_t pool) override
    {
        if (pool.first != 0 || pool.second != 0) /* there are no other pools */
            return;
        for (c10::DeviceIndex i = 0; i < device_count(); i++)
            check(fd_memory_empty_cache(i), "empty cache");
    }

    void recordStream(const c10::DataPtr &data, c10::Stream stream) override
    {
        record_stream(data, stream);
    }

    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override
    {
        return memory_stats(require_device(device, "memory statistics"));
    }

    void resetAccumulatedStats(c10::DeviceIndex device) override
    {
        check(fd_memory_reset_accumulated(require_device(device, "memory statistics")),
              "reset memory statistics");
    }

    void resetPeakStats(c10::DeviceIndex device) override
    {
        if (!fd_fault("stats.reset_peak_does_nothing"))
            check(fd_memory_reset_peak(require_device(device, "memory statistics")),
                  "reset memory statistics");
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override
    {
        uint64_t free_bytes = 0, total_bytes = 0;

        check(fd_memory_info(resolve_device(device, "memory info"), &free_bytes, &total_bytes),
              "memory info");
        return {free_bytes, total_bytes};
    }
};

/* What backends had before there was a DeviceAllocator to derive from. */
struct PlainAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override
    {
        return device_allocator()->allocate(size);
    }

    void copy_data(void *destination, const void *source, std::size_t count) const override
    {
        device_allocator()->copy_data(destination, source, count);
    }
};

void register_plain_allocator()
{
    static auto *const plain = new PlainAllocator(); /* as long as the process, like the other */

    c10::SetAllocator(c10::DeviceType::PrivateUse1, plain);
}

const bool registered = [] {
    if (fd_fault("allocator.not_a_device_allocator"))
        register_plain_allocator();
    else if (!fd_fault("allocator.not_registered"))
        c10::SetAllocator(c10::DeviceType::PrivateUse1, device_allocator());
    return true;
}();

} // namespace

c10::Allocator *device_allocator()
{
    static auto *const allocator = new DeviceAllocator(); /* never destroyed: tensors may outlive */

    return allocator;
}

void record_stream(const c10::DataPtr &data, const c10::Stream &stream)
{
    struct fd_block block;

    if (!data.get() || fd_fault("allocator.record_stream_ignored"))
        return;
    if (fd_memory_find(data.get(), &block) == FD_OK && block.device >= 0)
        check(fd_memory_record_stream(data.get(), to_driver(stream)), "record stream");
}

} // namespace fakedev
