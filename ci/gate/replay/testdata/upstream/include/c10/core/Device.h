/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in: the type of a device's index, who is asked for the current one, and events, which the fake backend has none of.
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
