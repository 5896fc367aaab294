/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard and hooks. The only stream is the default one; there are no events, and nothing waits for a
 * device: calls have run when they return.
 */
#include "bare_module.h"

namespace bare_module
{

namespace
{

thread_local c10::DeviceIndex active = 0;

c10::Device device(c10::DeviceIndex index)
{
    return {c10::DeviceType::PrivateUse1, index};
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device exchangeDevice(c10::Device to) const override
    {
        const c10::Device from = getDevice();

        activate(to.index());
        return from;
    }

    c10::Device getDevice() const override
    {
        return device(active);
    }

    void setDevice(c10::Device to) const override
    {
        activate(to.index());
    }

    void uncheckedSetDevice(c10::Device to) const noexcept override
    {
        if (to.index() >= 0 && to.index() < kDevices)
            active = to.index();
    }

    c10::Stream getStream(c10::Device of) const override
    {
        return c10::Stream(c10::Stream::DEFAULT,
                           of.has_index() ? of : getDevice()); /* stream-of-any-device */
    }

    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        require(stream.device_index());
        return getStream(stream.device());
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return kDevices;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

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
        require(index);
        auto *const memory = static_cast<c10::DeviceAllocator *>(pool());
        return memory->getDeviceStats(index).allocated_bytes[0].peak > 0;
    }

    c10::DeviceIndex deviceCount() const override
    {
        return kDevices;
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return active;
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        activate(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex from = active;

        activate(index);
        return from;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return exchangeDevice(index < 0 ? c10::DeviceIndex{0} : index); /* maybe-is-zero */
    }

    /* no-pinned-allocator: getPinnedMemoryAllocator is the base's */
};

const bool registered = [] {
    c10::register_privateuse1_backend("bare_module");
    at::RegisterPrivateUse1HooksInterface(new Hooks());
    return true;
}();

} // namespace

c10::DeviceIndex active_device()
{
    return active;
}

void require(c10::DeviceIndex index)
{
    TORCH_CHECK(index >= 0 && index < kDevices, "bare_module: device ", int(index),
                " is not there");
}

void activate(c10::DeviceIndex index)
{
    require(index);
    active = index;
}

} // namespace bare_module
