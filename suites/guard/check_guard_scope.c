/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests c10::DeviceGuard, with which PyTorch switches devices; it calls the registered guard.
 */
#include "expect.h"

static void device_guard_restores_the_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_scope *outer = NULL, *inner = NULL;
    require_ok(check, bridge_guard_set(first));
    require_ok(check, bridge_scope_enter(second, &outer));
    expect_device(check, bridge_guard_current(), second,
                  "a DeviceGuard switches the current device");
    require_ok(check, bridge_scope_enter(first, &inner));
    expect_device(check, bridge_guard_current(), first,
                  "a nested DeviceGuard switches the current device");
    bridge_scope_leave(inner);
    expect_device(check, bridge_guard_current(), second,
                  "leaving the inner guard restores the device of the outer guard");
    bridge_scope_leave(outer);
    expect_device(check, bridge_guard_current(), first,
                  "leaving the outer guard restores the first device");
}

static void device_guard_restores_after_an_exception(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    int32_t inside = -1;
    require_ok(check, bridge_guard_set(first));
    require_ok(check, bridge_scope_unwind(second, &inside));
    expect_int(check, inside, second, "the DeviceGuard has switched before the exception");
    expect_device(check, bridge_guard_current(), first, "an exception restores the device");
}

static void device_guard_without_index_does_not_switch(struct assay_check *check)
{
    const int32_t second = assay_device(check, 1);
    struct bridge_scope *scope = NULL;
    require_ok(check, bridge_guard_set(second));
    require_ok(check, bridge_scope_enter(-1, &scope));
    expect_device(check, bridge_guard_current(), second,
                  "a DeviceGuard without index does not switch");
    bridge_scope_leave(scope);
    expect_device(check, bridge_guard_current(), second,
                  "leaving a DeviceGuard without index does not change the current device");
}

const struct assay_check_row guard_scope_checks[] = {
    {"guard.device_guard_restores_the_device", device_guard_restores_the_device},
    {"guard.device_guard_restores_after_an_exception", device_guard_restores_after_an_exception},
    {"guard.device_guard_without_index_does_not_switch",
     device_guard_without_index_does_not_switch},
    {0},
};
