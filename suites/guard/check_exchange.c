/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests exchangeDevice, on which every DeviceGuard is built.
 */
#include "expect.h"

static void exchange_device_returns_the_previous_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    expect_device(check, bridge_guard_exchange(second), first,
                  "exchange returns the previous device");
    expect_device(check, bridge_guard_current(), second, "exchange makes its argument current");
}

static void exchange_device_round_trip_restores_the_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(second));
    const struct bridge_device previous = bridge_guard_exchange(first);
    require_device(check, previous, second, "exchange returns the previous device");
    expect_device(check, bridge_guard_exchange(previous.index), first,
                  "exchanging back returns the device that was current");
    expect_device(check, bridge_guard_current(), second, "exchanging back restores the device");
}

static void exchange_to_the_current_device_changes_nothing(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    require_ok(check, bridge_guard_set(device));
    expect_device(check, bridge_guard_exchange(device), device,
                  "exchange to the current device returns it");
    expect_device(check, bridge_guard_current(), device,
                  "exchange to the current device does not change it");
}

const struct assay_check_row exchange_checks[] = {
    {"guard.exchange_device_returns_the_previous_device",
     exchange_device_returns_the_previous_device},
    {"guard.exchange_device_round_trip_restores_the_device",
     exchange_device_round_trip_restores_the_device},
    {"guard.exchange_to_the_current_device_changes_nothing",
     exchange_to_the_current_device_changes_nothing},
    {0},
};
