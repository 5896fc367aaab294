/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that type() of the guard is the same on every thread and before the device starts.
 */
#include "bounded.h"

static void ask_type(void *context)
{
    *(struct bridge_device *)context = bridge_guard_type();
}

static void type_is_privateuse1_on_every_thread(struct assay_check *check)
{
    struct bridge_device elsewhere = {ASSAY_EINTERNAL, -1, -1};
    assay_on_thread(check, ask_type, &elsewhere, "type() on a new thread returns in time");
    expect_int(check, elsewhere.status, ASSAY_OK, "type() works on a new thread");
    expect_int(check, elsewhere.type, BRIDGE_PRIVATEUSE1, "type() is PrivateUse1 on any thread");
    expect_int(check, bridge_guard_type().type, BRIDGE_PRIVATEUSE1,
               "type() is PrivateUse1 before the first use of a device");
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    expect_int(check, bridge_guard_type().type, BRIDGE_PRIVATEUSE1,
               "type() is PrivateUse1 after the first use of a device");
}

const struct assay_check_row guard_type_checks[] = {
    {"guard.type_is_privateuse1_on_every_thread", type_is_privateuse1_on_every_thread},
    {0},
};
