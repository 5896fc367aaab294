/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The noexcept methods of the guard when the driver can no longer be asked. One that throws ends
 * this process, and the verdict is a crash.
 */
#include "instruments.h"

static void lose_all(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++)
        assay_lose(check, assay_device(check, i));
}

static void count_survives_a_lost_driver(struct assay_check *check)
{
    int32_t before = -1, after = -1;

    require_ok(check, bridge_guard_count(&before));
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    lose_all(check);
    expect_ok(check, bridge_guard_count(&after));
    expect_true(check, after == 0 || after == before,
                "deviceCount() of a driver that cannot be asked is 0, or what it was");
    assay_note_int(check, "count of a lost driver", after);
}

static void unchecked_set_survives_a_lost_driver(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);

    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    lose_all(check);
    bridge_guard_unchecked_set(device);
    bridge_guard_unchecked_set(assay_device(check, 0));
    expect_int(check, bridge_guard_registered(), 1, "the process goes on");
}

const struct assay_check_row guard_lost_checks[] = {
    {"guard.count_survives_a_lost_driver", count_survives_a_lost_driver},
    {"guard.unchecked_set_survives_a_lost_driver", unchecked_set_survives_a_lost_driver},
    {0},
};
