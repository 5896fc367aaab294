/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Methods that a backend may leave to PyTorch's base class. The classes here are the outermost
 * classes of the faulty library. Each method can be switched off, so that the base class handles
 * the call. ../driver/faults/refusal_table.c lists the names.
 */
#pragma once

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace fakedev
{

/* Returns true if the base class must handle the call. While "methods.late" is on, the first query
 * for each method is delayed. */
bool refused(const char *method) noexcept;

template <class Inner>
struct RefusingGuard final : Inner {
    using Base = c10::impl::DeviceGuardImplInterface;

    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return refused("guard.getDefaultStream") ? Base::getDefaultStream(device)
                                                 : Inner::getDefaultStream(device);
    }

    c10::Stream getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const override
    {
        return refused("guard.getStreamFromGlobalPool")
                   ? Base::getStreamFromGlobalPool(device, isHighPriority)
                   : Inner::getStreamFromGlobalPool(device, isHighPriority);
    }

    c10::Stream getNewStream(c10::Device device, int priority) const override
    {
        return refused("guard.getNewStream") ? Base::getNewStream(device, priority)
                                             : Inner::getNewStream(device, priority);
    }

    void *getStreamNativeHandle(const c10::Stream stream) const override
    {
        return refused("guard.getStreamNativeHandle") ? Base::getStreamNativeHandle(stream)
                                                      : Inner::getStreamNativeHandle(stream);
    }

    bool queryStream(const c10::Stream &stream) const override
    {
        return refused("guard.queryStream") ? Base::queryStream(stream)
                                            : Inner::queryStream(stream);
    }

    void synchronizeStream(const c10::Stream &stream) const override
    {
        return refused("guard.synchronizeStream") ? Base::synchronizeStream(stream)
                                                  : Inner::synchronizeStream(stream);
    }

    bool isStreamCapturing(const c10::Stream &stream) const override
    {
        return refused("guard.isStreamCapturing") ? Base::isStreamCapturing(stream)
                                                  : Inner::isStreamCapturing(stream);
    }

    void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override
    {
        return refused("guard.recordDataPtrOnStream") ? Base::recordDataPtrOnStream(data, stream)
                                                      : Inner::recordDataPtrOnStream(data, stream);
    }

    void record(void **event, const c10::Stream &stream, const c10::DeviceIndex index,
                const c10::EventFlag flag) const override
    {
        return refused("guard.record") ? Base::record(event, stream, index, flag)
                                       : Inner::record(event, stream, index, flag);
    }

    void block(void *event, const c10::Stream &stream) const override
    {
        return refused("guard.block") ? Base::block(event, stream) : Inner::block(event, stream);
    }

    bool queryEvent(void *event) const override
    {
        return refused("guard.queryEvent") ? Base::queryEvent(event) : Inner::queryEvent(event);
    }

    void synchronizeEvent(void *event) const override
    {
        return refused("guard.synchronizeEvent") ? Base::synchronizeEvent(event)
                                                 : Inner::synchronizeEvent(event);
    }

    double elapsedTime(void *start, void *end, const c10::DeviceIndex index) const override
    {
        return refused("guard.elapsedTime") ? Base::elapsedTime(start, end, index)
                                            : Inner::elapsedTime(start, end, index);
    }

    void destroyEvent(void *event, const c10::DeviceIndex index) const noexcept override
    {
        return refused("guard.destroyEvent") ? Base::destroyEvent(event, index)
                                             : Inner::destroyEvent(event, index);
    }

    c10::DeviceCapability getDeviceCapability(c10::Device device) const override
    {
        return refused("guard.getDeviceCapability") ? Base::getDeviceCapability(device)
                                                    : Inner::getDeviceCapability(device);
    }

    void synchronizeDevice(const c10::DeviceIndex index) const override
    {
        return refused("guard.synchronizeDevice") ? Base::synchronizeDevice(index)
                                                  : Inner::synchronizeDevice(index);
    }
};

template <class Inner>
struct RefusingHooks final : Inner {
    using Base = at::PrivateUse1HooksInterface;

    bool isBuilt() const override
    {
        return refused("hooks.isBuilt") ? Base::isBuilt() : Inner::isBuilt();
    }

    bool isAvailable() const override
    {
        return refused("hooks.isAvailable") ? Base::isAvailable() : Inner::isAvailable();
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return refused("hooks.hasPrimaryContext") ? Base::hasPrimaryContext(index)
                                                  : Inner::hasPrimaryContext(index);
    }

    void init() const override
    {
        return refused("hooks.init") ? Base::init() : Inner::init();
    }

    c10::DeviceIndex deviceCount() const override
    {
        return refused("hooks.deviceCount") ? Base::deviceCount() : Inner::deviceCount();
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return refused("hooks.getCurrentDevice") ? Base::getCurrentDevice()
                                                 : Inner::getCurrentDevice();
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        return refused("hooks.setCurrentDevice") ? Base::setCurrentDevice(index)
                                                 : Inner::setCurrentDevice(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        return refused("hooks.exchangeDevice") ? Base::exchangeDevice(index)
                                               : Inner::exchangeDevice(index);
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return refused("hooks.maybeExchangeDevice") ? Base::maybeExchangeDevice(index)
                                                    : Inner::maybeExchangeDevice(index);
    }

    at::Device getDeviceFromPtr(void *pointer) const override
    {
        return refused("hooks.getDeviceFromPtr") ? Base::getDeviceFromPtr(pointer)
                                                 : Inner::getDeviceFromPtr(pointer);
    }

    bool isPinnedPtr(const void *pointer) const override
    {
        return refused("hooks.isPinnedPtr") ? Base::isPinnedPtr(pointer)
                                            : Inner::isPinnedPtr(pointer);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return refused("hooks.getPinnedMemoryAllocator") ? Base::getPinnedMemoryAllocator()
                                                         : Inner::getPinnedMemoryAllocator();
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        return refused("hooks.resizePrivateUse1Bytes")
                   ? Base::resizePrivateUse1Bytes(storage, size)
                   : Inner::resizePrivateUse1Bytes(storage, size);
    }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return refused("hooks.getDefaultGenerator") ? Base::getDefaultGenerator(index)
                                                    : Inner::getDefaultGenerator(index);
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return refused("hooks.getNewGenerator") ? Base::getNewGenerator(index)
                                                : Inner::getNewGenerator(index);
    }
};

template <class Inner>
struct RefusingAllocator final : Inner {
    using Base = c10::DeviceAllocator;

    c10::DeleterFnPtr raw_deleter() const override
    {
        return refused("allocator.raw_deleter") ? Base::raw_deleter() : Inner::raw_deleter();
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override
    {
        return refused("allocator.getMemoryInfo") ? Base::getMemoryInfo(device)
                                                  : Inner::getMemoryInfo(device);
    }
};

} // namespace fakedev
