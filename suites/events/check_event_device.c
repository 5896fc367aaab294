/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls the functions of an event while another device is current. PyTorch does not set the device
 * before these calls, and expects that the calls do not change it.
 */
#include "instruments.h"
#include "recorded.h"

#include <stdio.h>

static void expect_first_is_current(struct assay_check *check, const char *what)
{
    expect_device(check, bridge_guard_current(), assay_device(check, 0), what);
}

static void event_functions_keep_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const struct bridge_stream far = bridge_stream_current(second);
    int32_t complete = 0;
    require_ok(check, far.status);
    require_ok(check, bridge_guard_set(first));
    void *const event = assay_record(check, far);
    expect_first_is_current(check, "record does not change the current device");
    expect_ok(check, bridge_event_block(event, far));
    expect_first_is_current(check, "block does not change the current device");
    expect_ok(check, bridge_event_query(event, &complete));
    expect_first_is_current(check, "queryEvent does not change the current device");
    expect_ok(check, bridge_event_synchronize(event));
    expect_first_is_current(check, "synchronizeEvent does not change the current device");
    bridge_event_destroy(event, second);
}

static void destroy_event_keeps_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const struct bridge_stream far = bridge_stream_current(second);
    require_ok(check, far.status);
    require_ok(check, bridge_guard_set(first));
    void *const event = assay_record(check, far);
    require_ok(check, bridge_guard_set(first));
    bridge_event_destroy(event, second);
    expect_first_is_current(check, "destroyEvent does not change the current device");
}

/* For events of two different devices, elapsedTime may return a number or an error. */
static void elapsed_time_keeps_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const struct bridge_stream far = bridge_stream_current(second);
    double milliseconds = 0;
    char how[240];
    void *const here = assay_record_time(check, assay_enter_stream(check, first));
    require_ok(check, far.status);
    void *const there = assay_record_time(check, far);
    require_ok(check, bridge_event_synchronize(here));
    require_ok(check, bridge_event_synchronize(there));
    /* the backend may also lack time stamps altogether */
    (void)assay_milliseconds(check, here, here, first);
    require_ok(check, bridge_guard_set(first));
    const int32_t status = bridge_event_elapsed(there, here, second, &milliseconds);
    if (status == ASSAY_OK)
        snprintf(how, sizeof how, "elapsedTime gave %g ms", milliseconds);
    else
        snprintf(how, sizeof how, "elapsedTime raised: %.200s",
                 *bridge_error_text() ? bridge_error_text() : "an error without text");
    const struct bridge_device current = bridge_guard_current();
    require_ok(check, current.status);
    expect_that(check, current.index == first, "elapsedTime does not change the current device",
                "getDevice() is device %d, expected %d; %s", (int)current.index, (int)first, how);
    bridge_event_destroy(here, first);
    bridge_event_destroy(there, second);
}

static void every_native_event_is_destroyed(struct assay_check *check)
{
    enum { CYCLES = 50 };
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    /* now the backend creates the objects that it creates only once */
    bridge_event_destroy(assay_record(check, stream), device);
    const uint64_t made = assay_counted(check, "events_created");
    const uint64_t gone = assay_counted(check, "events_destroyed");
    for (int i = 0; i < CYCLES; i++)
        bridge_event_destroy(assay_record(check, stream), device);
    expect_int(check, assay_counted(check, "events_destroyed") - gone,
               assay_counted(check, "events_created") - made, "every created event is destroyed");
}

const struct assay_check_row event_device_checks[] = {
    {"events.event_functions_keep_the_current_device", event_functions_keep_the_current_device},
    {"events.destroy_event_keeps_the_current_device", destroy_event_keeps_the_current_device},
    {"events.elapsed_time_keeps_the_current_device", elapsed_time_keeps_the_current_device},
    {"events.every_native_event_is_destroyed", every_native_event_is_destroyed},
    {0},
};
