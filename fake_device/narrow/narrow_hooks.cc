/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The narrow backend's name, its hooks, and what the files it shares with the whole backend expect
 * of a pinned memory it does not have. Hooks answer for devices and nothing else: no generator, no
 * pinned memory, no storage that is resized.
 */
#include "device_allocator.h"
#include "device_guard.h"
#include "device_index.h"
#include "host_allocator.h"
#include "status.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceType.h>

/* For torch_narrow.py. */
extern "C" __attribute__((visibility("default"))) int32_t narrow_device_count(void)
{
    return fakedev::device_count();
}

namespace fakedev
{

bool is_live_host_block(const void *) noexcept
{
    return false;
}

namespace
{

struct NarrowHooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }

    bool isAvailable() const override
    {
        return device_count() > 0;
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return device_was_used(index) && fd_started() == 1;
    }

    void init() const override
    {
        check(device_count() > 0 ? FD_OK : FD_ERROR_NO_DEVICE, "init");
    }

    /* Core asks for it in every copy to the CPU that is not blocking; any host memory will do. */
    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator();
    }

    c10::DeviceIndex deviceCount() const override
    {
        return device_count();
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return current_device();
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        check(fd_device_set(index), "set device");
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex previous = current_device();

        setCurrentDevice(index);
        return previous;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? current_device() : exchangeDevice(index);
    }
};

const bool registered = [] {
    c10::register_privateuse1_backend("narrowdev");
    c10::impl::registerDeviceGuard(c10::DeviceType::PrivateUse1, new Guard());
    c10::SetAllocator(c10::DeviceType::PrivateUse1, new DeviceAllocator());
    at::RegisterPrivateUse1HooksInterface(new NarrowHooks()); /* none is ever destroyed */
    return true;
}();

} // namespace

} // namespace fakedev
