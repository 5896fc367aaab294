/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The only device: guard, hooks, name. A call has ended when it returns, so there is one stream and no event.
 */
#include "lanes.h"

namespace lanes
{

namespace
{

const c10::Device kUnit(c10::DeviceType::PrivateUse1, 0);

struct LanesGuard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device getDevice() const override
    {
        return kUnit;
    }

    c10::Device exchangeDevice(c10::Device) const override /* any-index-is-zero */
    {
        return kUnit;
    }

    void setDevice(c10::Device) const override /* any-index-is-zero */
    {
    }

    void uncheckedSetDevice(c10::Device) const noexcept override
    {
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return 1;
    }

    c10::Stream getStream(c10::Device device) const override
    {
        return c10::Stream(c10::Stream::DEFAULT, unit(device));
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
        unit({c10::DeviceType::PrivateUse1, index});
    }
};

struct LanesHooks final : at::PrivateUse1HooksInterface {
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
        return true; /* context-of-any-device */
    }

    c10::DeviceIndex deviceCount() const override
    {
        return 1;
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return 0;
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        unit({c10::DeviceType::PrivateUse1, index});
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        setCurrentDevice(index);
        return 0;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? 0 : exchangeDevice(index);
    }

    void init() const override
    {
    }
};

const bool ready = [] {
    c10::register_privateuse1_backend("lanes");
    at::RegisterPrivateUse1HooksInterface(new LanesHooks());
    return true;
}();

C10_REGISTER_GUARD_IMPL(PrivateUse1, LanesGuard);

} // namespace

c10::Device unit(c10::Device device)
{
    TORCH_CHECK(!device.has_index() || device.index() == 0, "lanes: there is one vector unit, not ",
                int(device.index()) + 1);
    return kUnit;
}

} // namespace lanes
