/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard and hooks of the opaque backend. Nothing here is asynchronous: each device has the default
 * stream and no other, there are no events, and there is nothing to wait for.
 */
#include "opaque_generator.h"
#include "opaque_memory.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/DeviceCapability.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace opaque
{
namespace
{

c10::Device device_of(c10::DeviceIndex index)
{
    return {c10::kPrivateUse1, index};
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::kPrivateUse1;
    }
    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device previous = getDevice();
        TORCH_CHECK(device.index() >= 0, "opaque: there is no device ",
                    static_cast<int>(device.index()));
        set_device(device.index());
        return previous;
    }
    c10::Device getDevice() const override
    {
        return device_of(current_device());
    }
    void setDevice(c10::Device device) const override
    {
        set_device(device.index());
    }
    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        unchecked_set_device(device.index());
    }
    c10::Stream getStream(c10::Device device) const override
    {
        return c10::Stream(c10::Stream::DEFAULT, device_of(resolved(device.index())));
    }
    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return getStream(device);
    }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return getStream(stream.device());
    }
    bool queryStream(const c10::Stream & /*stream*/) const override
    {
        return true;
    }
    void synchronizeStream(const c10::Stream & /*stream*/) const override
    {
    }
    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        resolved(index);
    }
    c10::DeviceIndex deviceCount() const noexcept override
    {
        return device_count;
    }
};

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }
    bool isAvailable() const override
    {
        return true;
    }
    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return was_used(index);
    }
    c10::DeviceIndex deviceCount() const override
    {
        return device_count;
    }
    c10::DeviceIndex getCurrentDevice() const override
    {
        return current_device();
    }
    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        set_device(index);
    }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        return Guard().exchangeDevice(device_of(index)).index();
    }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? current_device() : exchangeDevice(index);
    }
    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return default_generator(resolved(index));
    }
    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return new_generator(resolved(index));
    }
    /* Core asks for it in every copy to the CPU that is not blocking. */
    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator();
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

[[maybe_unused]] const bool registered = [] {
    c10::register_privateuse1_backend("opaque");
    at::RegisterPrivateUse1HooksInterface(new Hooks()); /* never destroyed */
    return true;
}();

} // namespace
} // namespace opaque
