/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The class of the hooks. hooks.cc describes its purpose, and register.cc registers it.
 */
#pragma once

#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace fakedev
{

struct Hooks : at::PrivateUse1HooksInterface {
    bool isBuilt() const override;
    bool isAvailable() const override;
    bool hasPrimaryContext(c10::DeviceIndex index) const override;
    void init() const override;
    c10::DeviceIndex deviceCount() const override;
    c10::DeviceIndex getCurrentDevice() const override;
    void setCurrentDevice(c10::DeviceIndex index) const override;
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override;
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override;

    /* ---- memory ---- */
    at::Device getDeviceFromPtr(void *pointer) const override;
    bool isPinnedPtr(const void *pointer) const override;
    at::Allocator *getPinnedMemoryAllocator() const override;
    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override;

    /* ---- random ---- */
    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override;
    at::Generator getNewGenerator(c10::DeviceIndex index) const override;
};

} // namespace fakedev
