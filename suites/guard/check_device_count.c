/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests whether a guard is registered, and the number of devices that it reports.
 */
#include "expect.h"
#include "sample.h"

#include <stdio.h>

static void is_registered(struct assay_check *check)
{
    int32_t count;
    if (!bridge_guard_registered())
        /* if no guard is registered, every use of the guard raises an error with this text */
        require_ok(check, bridge_guard_count(&count));
    require_int(check, bridge_guard_registered(), 1, "loading the backend registers a guard");
    expect_int(check, bridge_guard_type().type, BRIDGE_PRIVATEUSE1,
               "the guard is of type PrivateUse1");
}

static void device_count_agrees_with_the_hooks(struct assay_check *check)
{
    int32_t guard = -1, hooks = -2;
    require_ok(check, bridge_guard_count(&guard));
    require_ok(check, bridge_hooks_count(&hooks));
    expect_int(check, hooks, guard, "hooks count as many devices as the guard");
}

static void device_count_is_constant(struct assay_check *check)
{
    int32_t first = -1, again = -2;
    require_ok(check, bridge_guard_count(&first));
    for (int i = 0; i < 3; i++) {
        require_ok(check, bridge_guard_count(&again));
        expect_int(check, again, first, "each call of deviceCount returns the same number");
    }
}

/* Copies data to each device and back, which fails if a counted device does not exist. */
static void use(struct assay_check *check, int32_t device)
{
    enum { MOST = 1 << 16 };
    static uint8_t bytes[MOST], back[MOST];
    struct bridge_tensor *here = NULL, *there = NULL;
    struct bridge_tensor_facts facts = {0};
    char what[64];
    snprintf(what, sizeof what, "a tensor can be copied to device %d, which is counted",
             (int)device);
    expect_stream(check, bridge_stream_current(device), device,
                  "the current stream of a device is on that device");
    require_ok(check, assay_sample_made(check, BRIDGE_FLOAT, 8, &here));
    if (expect_works(check, bridge_tensor_to(here, device, &there), what)) {
        require_ok(check, bridge_tensor_describe(there, &facts));
        expect_int(check, facts.device, device, "a copy to a device is on that device");
        require_means(check, facts.bytes <= MOST, "there is memory for a sample");
        require_ok(check, bridge_tensor_read(here, bytes, facts.bytes));
        require_ok(check, bridge_tensor_read(there, back, facts.bytes));
        expect_bytes(check, back, bytes, facts.bytes,
                     "a copy to a device and back has the values of the original");
    }
    bridge_tensor_free(there);
    bridge_tensor_free(here);
}

static void first_and_last_device_have_a_stream_and_hold_copies(struct assay_check *check)
{
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_that(check, count > 0 && count <= 127, "the count fits a device index",
                 "deviceCount() is %d", (int)count);
    use(check, 0);
    if (count > 1)
        use(check, count - 1);
}

const struct assay_check_row device_count_checks[] = {
    {"guard.is_registered", is_registered},
    {"guard.device_count_agrees_with_the_hooks", device_count_agrees_with_the_hooks},
    {"guard.device_count_is_constant", device_count_is_constant},
    {"guard.first_and_last_device_have_a_stream_and_hold_copies",
     first_and_last_device_have_a_stream_and_hold_copies},
    {0},
};
