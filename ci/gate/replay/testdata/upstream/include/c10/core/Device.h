/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in: the type of a device's index and who is asked for the current one.
 */
#pragma once

namespace c10 {
using DeviceIndex = signed char;

struct DeviceGuardImpl {
    virtual ~DeviceGuardImpl() = default;
    virtual int exchangeDevice(int device) const = 0;
    int currentDevice() const { return 1; }
};
} // namespace c10
