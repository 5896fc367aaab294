/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device indices: the checks that every other file of this folder makes before it uses a device.
 *
 * Purpose: core passes most indices unchecked (current_stream(i), memory_stats(i),
 * Generator("x:i"), getNewStream, getDeviceCapability, ...), wraps some to int8, and uses -1 for
 * the current device.
 * If this file is removed, indices out of range are read, and users see devices with index -1.
 * Serves: DEV-009, DEV-029, DEV-033, DEV-034, DEV-039, STRM-041, STRM-049, STAT-020, GEN-001,
 * GEN-002.
 */
#pragma once

#include <c10/core/Device.h>

namespace fakedev
{

/* Never throws. Returns 0 if the driver fails. */
c10::DeviceIndex device_count() noexcept;
c10::DeviceIndex current_device() noexcept;

/* Converts -1 to the current device. Throws for any other index out of range, with the index and
 * the number of devices in the message. */
c10::DeviceIndex resolve_device(c10::DeviceIndex index, const char *what);
/* Like resolve_device, but throws for every negative index. */
c10::DeviceIndex require_device(c10::DeviceIndex index, const char *what);

/* Marks the device as used (memory allocated, work enqueued), for hasPrimaryContext. */
void mark_device_used(c10::DeviceIndex index) noexcept;
bool device_was_used(c10::DeviceIndex index) noexcept;

inline c10::Device make_device(c10::DeviceIndex index)
{
    return c10::Device(c10::DeviceType::PrivateUse1, index);
}

/* Makes a device current for one scope. The destructor restores the previous device and never
 * throws, not even during stack unwinding. */
class DeviceScope
{
  public:
    explicit DeviceScope(c10::DeviceIndex index);
    ~DeviceScope();
    DeviceScope(const DeviceScope &) = delete;
    DeviceScope &operator=(const DeviceScope &) = delete;

  private:
    c10::DeviceIndex previous_;
};

} // namespace fakedev
