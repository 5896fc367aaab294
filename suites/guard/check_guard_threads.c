/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The current device belongs to a host thread.
 */
#include "bounded.h"

struct switched {
    struct assay_check *check;
    int32_t device;
};

static void switch_to(void *context)
{
    const struct switched *const thread = context;
    expect_ok(thread->check, bridge_guard_set(thread->device));
    expect_device(thread->check, bridge_guard_current(), thread->device,
                  "a thread sees its own switch");
}

static void current_is_per_thread(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct switched thread = {check, second};

    require_ok(check, bridge_guard_set(first));
    assay_on_thread(check, switch_to, &thread, "setDevice on another thread returns");
    expect_device(check, bridge_guard_current(), first,
                  "a switch in one thread is not seen in another");
}

static void switch_often(void *context)
{
    const struct switched *const thread = context;
    for (int i = 0; i < 200; i++) {
        const int32_t device = assay_device(thread->check, (uint32_t)(thread->device + i) % 2);
        if (!expect_ok(thread->check, bridge_guard_set(device)) ||
            !expect_device(thread->check, bridge_guard_current(), device,
                           "concurrent switching does not mix up the threads")) {
            return;
        }
    }
}

static void current_holds_under_concurrent_switching(struct assay_check *check)
{
    struct switched threads[4];
    for (int32_t i = 0; i < 4; i++) {
        threads[i] = (struct switched){check, i};
    }
    assay_on_threads(check, 4, switch_often, threads, sizeof threads[0],
                     "threads that switch devices return");
}

static void ask_current(void *context)
{
    *(struct bridge_device *)context = bridge_guard_current();
}

static void fresh_thread_starts_on_a_device(struct assay_check *check)
{
    struct bridge_device seen = {ASSAY_EINTERNAL, -1, -1};
    int32_t count = 0;

    require_ok(check, bridge_guard_count(&count));
    assay_on_thread(check, ask_current, &seen, "getDevice on a fresh thread returns");
    require_int(check, seen.status, ASSAY_OK, "getDevice answers on a fresh thread");
    expect_true(check, seen.index >= 0 && seen.index < count,
                "a fresh thread starts with a real current device");
    assay_note_int(check, "current on a fresh thread", seen.index);
}

const struct assay_check_row guard_threads_checks[] = {
    {"guard.current_is_per_thread", current_is_per_thread},
    {"guard.current_holds_under_concurrent_switching", current_holds_under_concurrent_switching},
    {"guard.fresh_thread_starts_on_a_device", fresh_thread_starts_on_a_device},
    {0},
};
