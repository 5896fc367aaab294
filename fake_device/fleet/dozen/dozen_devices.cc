/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices: guard, hooks, name. There is one queue for each device and it is empty when a call returns,
 * so there are no streams to make and no events.
 */
#include "dozen.h"

#include <c10/core/CPUAllocator.h>

namespace dozen
{

namespace
{

constexpr auto kType = c10::DeviceType::PrivateUse1;

/* The thread that loads the library is given device 0 below. */
thread_local int thread_device = -1; /* fresh-thread-has-no-device */

c10::Device device_of(int index)
{
    return {kType, static_cast<c10::DeviceIndex>(index)};
}

struct DozenGuard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return kType;
    }

    c10::Device getDevice() const override
    {
        return device_of(thread_device);
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device before = device_of(current_device());

        switch_device(device.index());
        return before;
    }

    void setDevice(c10::Device device) const override
    {
        switch_device(device.index());
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        if (device.index() >= 0 && device.index() < kDevices)
            thread_device = device.index();
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return kDevices;
    }

    c10::Stream getStream(c10::Device device) const override
    {
        const c10::Device real = real_device(device);

        TORCH_CHECK(real.index() < kDevices, "dozen: no device ", real);
        return c10::Stream(c10::Stream::DEFAULT, real);
    }

    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return getStream(device);
    }

    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return getStream(stream.device());
    }

    bool queryStream(const c10::Stream &) const override
    {
        return true;
    }

    void synchronizeStream(const c10::Stream &) const override
    {
    }

    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        TORCH_CHECK(index >= 0 && index < kDevices, "dozen: no device ", int(index));
    }
};

struct DozenHooks final : at::PrivateUse1HooksInterface {
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
        return index >= 0 && index < kDevices && used;
    }

    /* hooks-count-zero: deviceCount is the base's */

    c10::DeviceIndex getCurrentDevice() const override
    {
        return static_cast<c10::DeviceIndex>(current_device());
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        switch_device(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const auto before = getCurrentDevice();

        switch_device(index);
        return before;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? getCurrentDevice() : exchangeDevice(index);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator(); /* copies read any host memory */
    }

    void init() const override
    {
        used = true;
    }

    mutable bool used = false;
};

const bool ready = [] {
    thread_device = 0;
    c10::register_privateuse1_backend("dozen");
    at::RegisterPrivateUse1HooksInterface(new DozenHooks());
    return true;
}();

C10_REGISTER_GUARD_IMPL(PrivateUse1, DozenGuard);

} // namespace

int current_device()
{
    return thread_device < 0 ? 0 : thread_device;
}

void switch_device(int index)
{
    TORCH_CHECK(index < kDevices, "dozen: cannot switch to device ", index, ", there are ",
                kDevices);
    thread_device = index < 0 ? 0 : index; /* negative-is-zero */
}

c10::Device real_device(c10::Device device)
{
    return device.has_index() ? device : device_of(current_device());
}

} // namespace dozen
