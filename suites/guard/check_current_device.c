/* SPDX-License-Identifier: BSD-3-Clause
 *
 * setDevice and uncheckedSetDevice, with good and bad indices.
 */
#include "expect.h"

static void current_is_a_real_index(struct assay_check *check)
{
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    const struct bridge_device current = bridge_guard_current();
    require_int(check, current.status, ASSAY_OK, "getDevice answers");
    expect_int(check, current.type, BRIDGE_PRIVATEUSE1, "getDevice answers with its own type");
    expect_that(check, current.index >= 0 && current.index < count,
                "getDevice is never -1 and below the count", "getDevice() is %d, of %d devices",
                (int)current.index, (int)count);
    assay_note_int(check, "current at start", current.index);
}

static void set_is_seen_by_current(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);

    require_ok(check, bridge_guard_set(second));
    expect_device(check, bridge_guard_current(), second, "setDevice makes its argument current");
    require_ok(check, bridge_guard_set(first));
    expect_device(check, bridge_guard_current(), first, "setDevice makes its argument current");
}

static void set_refuses_index_past_count(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_ok(check, bridge_guard_set(device));
    if (count < 128) {
        expect_refused_with(check, bridge_guard_set(count), count,
                            "setDevice refuses the first index that no device has");
        expect_device(check, bridge_guard_current(), device,
                      "a refused setDevice leaves the current device as it was");
    }
    if (count < 127) {
        expect_refused(check, bridge_guard_set(127), "setDevice refuses index 127");
        expect_device(check, bridge_guard_current(), device,
                      "a refused setDevice leaves the current device as it was");
    }
}

/* Raising and doing nothing are both right; changing the device is not. */
static void set_of_negative_index_changes_nothing(struct assay_check *check)
{
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t device = assay_device(check, i);
        require_ok(check, bridge_guard_set(device));
        const int32_t status = bridge_guard_set(-1);
        check->host->note(check, "setDevice(-1)", status == ASSAY_OK ? "accepted" : "refused");
        expect_device(check, bridge_guard_current(), device,
                      "setDevice(-1) leaves the current device as it was");
    }
}

static void unchecked_set_is_seen_by_current(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);

    require_ok(check, bridge_guard_set(first));
    bridge_guard_unchecked_set(second);
    expect_device(check, bridge_guard_current(), second,
                  "uncheckedSetDevice has the effect of setDevice");
}

/* It is noexcept: an implementation that throws ends this process, and the verdict is a crash. */
static void unchecked_set_survives_bad_index(struct assay_check *check)
{
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    bridge_guard_unchecked_set(127);
    bridge_guard_unchecked_set(-1);
    expect_works(check, bridge_guard_current().status,
                 "after uncheckedSetDevice with a bad index the guard still answers");
}

const struct assay_check_row current_device_checks[] = {
    {"guard.current_is_a_real_index", current_is_a_real_index},
    {"guard.set_is_seen_by_current", set_is_seen_by_current},
    {"guard.set_refuses_index_past_count", set_refuses_index_past_count},
    {"guard.set_of_negative_index_changes_nothing", set_of_negative_index_changes_nothing},
    {"guard.unchecked_set_is_seen_by_current", unchecked_set_is_seen_by_current},
    {"guard.unchecked_set_survives_bad_index", unchecked_set_survives_bad_index},
    {0},
};
