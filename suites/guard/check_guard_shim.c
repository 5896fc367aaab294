/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the device guard of PyTorch's stable C interface. Compiled models and C extensions use
 * this guard.
 */
#include "expect.h"

static void c_shim_guard_switches_and_restores_the_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_shim_guard *guard = NULL;
    require_means(check, bridge_backend_is_named(), "the backend has a name");
    require_ok(check, bridge_guard_set(second));
    require_ok(check, bridge_shim_guard_create(first, &guard));
    expect_device(check, bridge_guard_current(), first,
                  "the C device guard switches the current device");
    expect_ok(check, bridge_shim_guard_set_index(guard, second));
    expect_device(check, bridge_guard_current(), second, "set_index switches to its argument");
    expect_ok(check, bridge_shim_guard_set_index(guard, first));
    expect_ok(check, bridge_shim_guard_delete(guard));
    expect_device(
        check, bridge_guard_current(), second,
        "deleting the C device guard restores the device that was current at its creation");
}

static void c_shim_guard_keeps_the_device_after_a_bad_index(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct bridge_shim_guard *guard = NULL;
    int32_t count = 0;
    require_means(check, bridge_backend_is_named(), "the backend has a name");
    require_ok(check, bridge_guard_count(&count));
    require_means(check, count < 128, "an index above the count exists");
    require_ok(check, bridge_guard_set(first));
    require_ok(check, bridge_shim_guard_create(second, &guard));
    expect_refused_with(check, bridge_shim_guard_set_index(guard, count), count,
                        "set_index refuses an index that does not exist");
    expect_device(check, bridge_guard_current(), second,
                  "a refused set_index does not change the current device");
    expect_ok(check, bridge_shim_guard_delete(guard));
    expect_device(check, bridge_guard_current(), first,
                  "deleting the C device guard restores the first device");
}

const struct assay_check_row guard_shim_checks[] = {
    {"guard.c_shim_guard_switches_and_restores_the_device",
     c_shim_guard_switches_and_restores_the_device},
    {"guard.c_shim_guard_keeps_the_device_after_a_bad_index",
     c_shim_guard_keeps_the_device_after_a_bad_index},
    {0},
};
