/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device indices: what every other file of this folder asks before it touches a device.
 *
 * For: core passes most indices on unchecked (current_stream(i), memory_stats(i), Generator("x:i"),
 * getNewStream, getDeviceCapability, ...), wraps some to int8 and means "the current device" by -1.
 * Without: out-of-range reads, and index -1 in user-visible devices.
 * Serves: DEV-009, DEV-029, DEV-033, DEV-034, DEV-039, STRM-041, STRM-049, STAT-020, GEN-001,
 * GEN-002.
 */
#pragma once

#include <c10/core/Device.h>

namespace fakedev
{

/* Never throws: 0 when the driver cannot be asked. */
c10::DeviceIndex device_count() noexcept;
c10::DeviceIndex current_device() noexcept;

/* -1 becomes the current device; anything else out of range throws and names both numbers. */
c10::DeviceIndex resolve_device(c10::DeviceIndex index, const char *what);
/* Like resolve_device, for callers to whom a negative index is as wrong as a large one. */
c10::DeviceIndex require_device(c10::DeviceIndex index, const char *what);

/* The answer of hasPrimaryContext: something was allocated on or enqueued to this device. */
void mark_device_used(c10::DeviceIndex index) noexcept;
bool device_was_used(c10::DeviceIndex index) noexcept;

inline c10::Device make_device(c10::DeviceIndex index)
{
    return c10::Device(c10::DeviceType::PrivateUse1, index);
}

/* Current device for one scope. Restores without throwing, also during unwinding. */
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
