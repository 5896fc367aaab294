/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The fake backend's allocators: one for device memory, one for pinned host memory.
 */
#include <c10/core/Allocator.h>
#include <stdlib.h>

namespace c10 {
void SetAllocator(const Allocator *allocator);
const Allocator *GetAllocator();
} // namespace c10

namespace {
struct DeviceAllocator final : c10::Allocator {
    void *allocate(size_t bytes) const override { return calloc(1, bytes); }
    void release(void *pointer) const override { free(pointer); }
};

struct PinnedAllocator final : c10::Allocator {
    void *allocate(size_t bytes) const override { return malloc(bytes); }
    void release(void *pointer) const override { free(pointer); }
};
const bool registered = (c10::SetAllocator(new DeviceAllocator), true);
} // namespace

extern "C" int backend_allocates(int bytes)
{
    auto *allocator = const_cast<c10::Allocator *>(c10::GetAllocator());
    void *memory = registered ? allocator->allocate(static_cast<size_t>(bytes)) : nullptr;
    const int got = memory != nullptr;
    allocator->release(memory);
    return got;
}

extern "C" int backend_pins(int bytes)
{
    PinnedAllocator allocator;
    void *memory = allocator.allocate(static_cast<size_t>(bytes));
    const int got = memory != nullptr;
    allocator.release(memory);
    return got;
}
