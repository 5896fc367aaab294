/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The guard at the exit of the process, where other code still calls it after the backend's static
 * objects were destroyed. No finding can be reported at that time. So a failure ends the process
 * with a status, and the contract entry (exit: normal) judges this status.
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

/* A DeviceGuard that outlives the backend. Its destructor calls uncheckedSetDevice, which is
 * noexcept. */
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
