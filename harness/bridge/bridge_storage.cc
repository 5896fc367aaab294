// SPDX-License-Identifier: BSD-3-Clause
//
// Storages, and the rules of core about allocators that do not depend on the backend.
#include "bridge_internal.h"

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/StorageImpl.h>

namespace
{

// A device type that PyTorch defines and no backend registers, so a test with allocators on it
// affects nothing.
constexpr c10::DeviceType UNUSED = c10::DeviceType::FPGA;

struct CountedAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t) override
    {
        return {};
    }
    void copy_data(void *, const void *, std::size_t) const override
    {
    }
};

} // namespace

int32_t bridge_tensor_resizable(const struct bridge_tensor *tensor, int32_t *resizable,
                                int32_t *has_allocator)
{
    return bridge::guarded([&] {
        const c10::Storage &storage = tensor->value.storage();
        *resizable = storage.resizable() ? 1 : 0;
        *has_allocator = storage.allocator() != nullptr ? 1 : 0;
    });
}

int32_t bridge_storage_resizable_without_allocator(void)
{
    return bridge::guarded([] {
        (void)c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), 0,
                                                    c10::DataPtr(), nullptr, /*resizable=*/true);
    });
}

int32_t bridge_storage_factory_again(int32_t device)
{
    return bridge::guarded([&] {
        const c10::StorageImplCreateHelper registered =
            c10::GetStorageImplCreate(c10::kPrivateUse1);
        TORCH_CHECK_NOT_IMPLEMENTED(registered != nullptr,
                                    "No StorageImpl is registered for PrivateUse1.");
        c10::SetStorageImplCreate(bridge::device(device).type(), registered);
    });
}

int32_t bridge_set_unused_allocator(int32_t which, int32_t priority, int32_t *chosen)
{
    static CountedAllocator allocators[2];
    return bridge::guarded([&] {
        c10::SetAllocator(UNUSED, &allocators[which & 1], static_cast<uint8_t>(priority));
        *chosen = c10::GetAllocator(UNUSED) == &allocators[1] ? 1 : 0;
    });
}

int32_t bridge_cpu_device_allocator(void)
{
    return bridge::guarded([] { (void)c10::getDeviceAllocator(c10::kCPU); });
}

int32_t bridge_foreign_is_simple(int32_t *simple)
{
    return bridge::guarded([&] {
        c10::Allocator *const allocator = c10::GetAllocator(c10::kPrivateUse1);
        TORCH_CHECK(allocator != nullptr, "No allocator is registered for PrivateUse1.");
        int data = 0, context = 0;
        const c10::DataPtr foreign(
            &data, &context, [](void *) {}, bridge::device(0));
        *simple = allocator->is_simple_data_ptr(foreign) ? 1 : 0;
    });
}
