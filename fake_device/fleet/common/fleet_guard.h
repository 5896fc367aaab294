/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device guards and hooks without a defect. A backend derives from the class that fits its design,
 * overrides the functions with its defects, and registers the result.
 */
#ifndef FLEET_GUARD_H
#define FLEET_GUARD_H

#include "fleet_device.h"

namespace fleet
{

/* Devices and their default streams. Synchronization is not supported. */
struct Guard : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override;
    c10::Device exchangeDevice(c10::Device to) const override;
    c10::Device getDevice() const override;
    void setDevice(c10::Device to) const override;
    void uncheckedSetDevice(c10::Device to) const noexcept override;
    c10::DeviceIndex deviceCount() const noexcept override;
    c10::Stream getStream(c10::Device of) const override;
    c10::Stream exchangeStream(c10::Stream to) const override;
};

/* Work is done when a call returns, so every wait returns immediately. */
struct SynchronousGuard : Guard {
    c10::Stream getDefaultStream(c10::Device of) const override;
    bool queryStream(const c10::Stream &stream) const override;
    void synchronizeStream(const c10::Stream &stream) const override;
    void synchronizeDevice(c10::DeviceIndex index) const override;
};

/* The current stream of the calling thread; -1 is the current device. For backends whose guard is a
 * StreamGuard. */
c10::Stream current_stream(c10::DeviceIndex index);

/* Streams are numbers and events are points in time. Work is done when a call returns. */
struct StreamGuard : SynchronousGuard {
    c10::Stream getStream(c10::Device of) const override;
    c10::Stream getNewStream(c10::Device of, int priority) const override;
    c10::Stream getStreamFromGlobalPool(c10::Device of, bool urgent) const override;
    c10::Stream exchangeStream(c10::Stream to) const override;
    void record(void **event, const c10::Stream &stream, c10::DeviceIndex index,
                c10::EventFlag flag) const override;
    void block(void *event, const c10::Stream &stream) const override;
    bool queryEvent(void *event) const override;
    void synchronizeEvent(void *event) const override;
    void destroyEvent(void *event, c10::DeviceIndex index) const noexcept override;
    double elapsedTime(void *first, void *second, c10::DeviceIndex index) const override;

  protected:
    static c10::Stream next_stream(c10::DeviceIndex index); /* does not check the index */
    static c10::DeviceIndex device_of_event(void *event);
    virtual int64_t nanoseconds() const; /* the time that an event records */
};

/* Pinned memory is ordinary memory of the CPU: pins-nothing, host-cache-crashes. */
struct Hooks : at::PrivateUse1HooksInterface {
    bool isBuilt() const override;
    bool isAvailable() const override;
    bool hasPrimaryContext(c10::DeviceIndex index) const override;
    c10::DeviceIndex deviceCount() const override;
    c10::DeviceIndex getCurrentDevice() const override;
    void setCurrentDevice(c10::DeviceIndex index) const override;
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override;
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override;
    at::Allocator *getPinnedMemoryAllocator() const override;

    /* Changes the size of a tensor's storage. A backend that supports this overrides
     * resizePrivateUse1Bytes and calls grow(). */
    virtual void grow(const c10::Storage &storage, size_t size) const;

  protected:
    /* Moves the storage to `size` new bytes on the current device; copies `kept` bytes. */
    static void replace(const c10::Storage &storage, size_t size, size_t kept);
};

} // namespace fleet

#endif
