/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hooks, and the name of the backend.
 */
#include "hostram.h"

#include <c10/core/CPUAllocator.h>

namespace hostram
{

namespace
{

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }

    bool isAvailable() const override
    {
        return true;
    }

    bool hasPrimaryContext(c10::DeviceIndex) const override
    {
        return true; /* primary-context-always */
    }

    c10::DeviceIndex deviceCount() const override
    {
        return kDevices;
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return current_device();
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        set_current_device(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex previous = current_device();

        set_current_device(index);
        return previous;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? current_device() : exchangeDevice(index);
    }

    c10::Device getDeviceFromPtr(void *address) const override
    {
        const c10::DeviceIndex owner = owner_of(address);

        TORCH_CHECK(owner >= 0, "hostram: this address is of no device");
        return device_of(owner);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator(); /* the "device" reads any host memory */
    }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return default_generator(index);
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return new_generator(index);
    }
};

const bool registered = [] {
    c10::register_privateuse1_backend("hostram");
    at::RegisterPrivateUse1HooksInterface(new Hooks()); /* never destroyed */
    return true;
}();

} // namespace

} // namespace hostram
