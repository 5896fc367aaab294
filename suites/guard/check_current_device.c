/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests setDevice and uncheckedSetDevice with valid and invalid indices.
 */
#include "expect.h"

static void current_device_has_a_valid_index(struct assay_check *check)
{
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    const struct bridge_device current = bridge_guard_current();
    require_int(check, current.status, ASSAY_OK, "getDevice returns");
    expect_int(check, current.type, BRIDGE_PRIVATEUSE1,
               "getDevice returns a device of the backend's type");
    expect_that(check, current.index >= 0 && current.index < count,
                "getDevice is not negative and below the count", "getDevice() is %d, of %d devices",
                (int)current.index, (int)count);
    assay_note_int(check, "current at start", current.index);
}

static void set_device_changes_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(second));
    expect_device(check, bridge_guard_current(), second, "setDevice makes its argument current");
    require_ok(check, bridge_guard_set(first));
    expect_device(check, bridge_guard_current(), first, "setDevice makes its argument current");
}

static void set_device_rejects_an_index_past_the_count(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_ok(check, bridge_guard_set(device));
    if (count < 128) {
        expect_refused_with(check, bridge_guard_set(count), count,
                            "setDevice refuses the first index that no device has");
        expect_device(check, bridge_guard_current(), device,
                      "a refused setDevice does not change the current device");
    }
    if (count < 127) {
        expect_refused(check, bridge_guard_set(127), "setDevice refuses index 127");
        expect_device(check, bridge_guard_current(), device,
                      "a refused setDevice does not change the current device");
    }
}

/* setDevice may raise or do nothing. In both cases the current device must not change. */
static void set_device_with_a_negative_index_changes_nothing(struct assay_check *check)
{
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t device = assay_device(check, i);
        require_ok(check, bridge_guard_set(device));
        const int32_t status = bridge_guard_set(-1);
        check->host->note(check, "setDevice(-1)", status == ASSAY_OK ? "accepted" : "refused");
        expect_device(check, bridge_guard_current(), device,
                      "setDevice(-1) does not change the current device");
    }
}

static void unchecked_set_device_changes_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    bridge_guard_unchecked_set(second);
    expect_device(check, bridge_guard_current(), second,
                  "uncheckedSetDevice has the effect of setDevice");
}

/* uncheckedSetDevice is noexcept. If the implementation throws, the process ends, and the
 * verdict is a crash. */
static void unchecked_set_device_does_not_throw_for_a_bad_index(struct assay_check *check)
{
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    bridge_guard_unchecked_set(127);
    bridge_guard_unchecked_set(-1);
    expect_works(check, bridge_guard_current().status,
                 "the guard still works after uncheckedSetDevice with a bad index");
}

const struct assay_check_row current_device_checks[] = {
    {"guard.current_device_has_a_valid_index", current_device_has_a_valid_index},
    {"guard.set_device_changes_the_current_device", set_device_changes_the_current_device},
    {"guard.set_device_rejects_an_index_past_the_count",
     set_device_rejects_an_index_past_the_count},
    {"guard.set_device_with_a_negative_index_changes_nothing",
     set_device_with_a_negative_index_changes_nothing},
    {"guard.unchecked_set_device_changes_the_current_device",
     unchecked_set_device_changes_the_current_device},
    {"guard.unchecked_set_device_does_not_throw_for_a_bad_index",
     unchecked_set_device_does_not_throw_for_a_bad_index},
    {0},
};
