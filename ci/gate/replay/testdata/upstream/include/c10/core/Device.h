/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for the type of a device index, the query for the current device, and events.
 */
#pragma once

namespace c10 {
using DeviceIndex = signed char;

struct DeviceGuardImpl {
    virtual ~DeviceGuardImpl() = default;
    virtual int exchangeDevice(int device) const = 0;
    int currentDevice() const { return 1; }
};

struct DeviceEvents {
    virtual ~DeviceEvents() = default;
    virtual void block(int stream) const = 0;
};
} // namespace c10
