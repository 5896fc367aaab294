/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The class of the device guard. device_guard.cc describes its purpose, and register.cc registers
 * it.
 */
#pragma once

#include "which_torch.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace fakedev
{

struct Guard : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override;
    c10::Device exchangeDevice(c10::Device device) const override;
    c10::Device getDevice() const override;
    void setDevice(c10::Device device) const override;
    void uncheckedSetDevice(c10::Device device) const noexcept override;
    c10::DeviceIndex deviceCount() const noexcept override;
    c10::DeviceCapability getDeviceCapability(c10::Device device) const override;
    void synchronizeDevice(const c10::DeviceIndex index) const override;

    /* ---- streams ---- */
    c10::Stream getStream(c10::Device device) const override;
    c10::Stream getDefaultStream(c10::Device device) const override;
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const override;
    c10::Stream getNewStream(c10::Device device, int priority) const override;
    c10::Stream exchangeStream(c10::Stream stream) const override;
    void *getStreamNativeHandle(const c10::Stream stream) const override;
    bool queryStream(const c10::Stream &stream) const override;
    void synchronizeStream(const c10::Stream &stream) const override;
#if FAKEDEV_HAS_GRAPHS
    bool isStreamCapturing(const c10::Stream &stream) const override;
#endif
    void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override;

    /* ---- events ---- */
    void record(void **event, const c10::Stream &stream, const c10::DeviceIndex index,
                const c10::EventFlag flag) const override;
    void block(void *event, const c10::Stream &stream) const override;
    bool queryEvent(void *event) const override;
    void synchronizeEvent(void *event) const override;
    double elapsedTime(void *start, void *end, const c10::DeviceIndex /*index*/) const override;
    void destroyEvent(void *event, const c10::DeviceIndex /*index*/) const noexcept override;
};

} // namespace fakedev
