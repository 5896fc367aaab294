/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory: a budget for each device, and blocks from the host within it.
 */
#include "dozen.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace dozen
{

namespace
{

constexpr size_t kBudget = size_t{1} << 30;

/* Stands before each block, so that freeing needs no table. */
struct alignas(64) Header {
    size_t size;
    int device;
};

std::atomic<size_t> in_use[kDevices];

void free_block(void *address)
{
    if (address == nullptr)
        return;
    Header *const header = static_cast<Header *>(address) - 1;
    in_use[header->device] -= header->size;
    std::free(header);
}

struct Allocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override
    {
        return make_block(size, real_device(c10::DeviceType::PrivateUse1));
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &free_block;
    }

    /* The engine for copies inside a device moves words of 32 bits. */
    void copy_data(void *to, const void *from, size_t count) const override
    {
        const auto *const source = static_cast<const uint32_t *>(from);
        std::copy(source, source + count / sizeof *source,
                  static_cast<uint32_t *>(to)); /* copy-loses-tail */
    }
};

/* The allocator of torch's interface knows no device but the current one; factories are asked for one. */
struct LabelledAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override
    {
        return make_block(size, target);
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }

    c10::Device target{c10::DeviceType::PrivateUse1, -1};
};

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::PrivateUse1, new Allocator());
    return true;
}();

} // namespace

c10::DataPtr make_block(size_t size, c10::Device device)
{
    const int index = real_device(device).index();

    TORCH_CHECK(index < kDevices, "dozen: no device ", index);
    if (size == 0)
        return {nullptr, nullptr, &free_block, device};
    const size_t used = in_use[index] += size;
    TORCH_CHECK_WITH(OutOfMemoryError, used <= kBudget, "dozen: ", size,
                     " bytes do not fit on device ", index, ", which has ",
                     kBudget); /* failed-allocation-leaks */
    void *const room = std::aligned_alloc(alignof(Header), sizeof(Header) + (size + 63) / 64 * 64);
    TORCH_CHECK_WITH(OutOfMemoryError, room != nullptr, "dozen: the host has no ", size, " bytes");
    auto *const header = new (room) Header{size, index};
    return {header + 1, header + 1, &free_block, device};
}

c10::Allocator *allocator_for(c10::Device device)
{
    thread_local LabelledAllocator allocator;

    allocator.target = device;
    return &allocator;
}

} // namespace dozen
