/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the guard while the process exits: other code still calls it after the backend's static
 * objects were destroyed. At that time, a check can no longer report a finding. A failure
 * therefore ends the process with a special exit status, and because of `exit: normal` in the
 * contract entry this status decides the verdict.
 */
#include "expect.h"

#include <stdio.h>
#include <unistd.h>

#define BAD_END 3

static void ask_at_end(void *context)
{
    (void)context;
    const struct bridge_device current = bridge_guard_current();
    if (current.status != ASSAY_OK || current.type != BRIDGE_PRIVATEUSE1 || current.index < 0) {
        fprintf(stderr, "getDevice at the end of the process: status %d, type %d, index %d: %s\n",
                (int)current.status, (int)current.type, (int)current.index, bridge_error_text());
        _exit(BAD_END);
    }
}

static void methods_can_be_called_at_process_exit(struct assay_check *check)
{
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    ask_at_end(NULL);
    require_ok(check, bridge_at_end(ask_at_end, NULL));
}

static void leave_at_end(void *context)
{
    bridge_scope_leave(context);
}

/* Creates a DeviceGuard that outlives the backend. The destructor of this guard calls
 * uncheckedSetDevice, which is noexcept. */
static void device_guard_may_outlive_the_backend(struct assay_check *check)
{
    struct bridge_scope *scope = NULL;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_scope_enter(assay_device(check, check->device_count - 1), &scope));
    require_ok(check, bridge_at_end(leave_at_end, scope));
}

const struct assay_check_row guard_exit_checks[] = {
    {"guard.methods_can_be_called_at_process_exit", methods_can_be_called_at_process_exit},
    {"guard.device_guard_may_outlive_the_backend", device_guard_may_outlive_the_backend},
    {0},
};
