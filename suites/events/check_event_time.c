/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares elapsedTime with the host's clock. The stream reaches the first event before the inner
 * span of the clock begins. The second event is recorded after the inner span ends.
 */
#include "host_clock.h"
#include "recorded.h"

static void elapsed_time_is_in_milliseconds(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    const int64_t before = assay_now_ns();
    void *const start = assay_record_time(check, stream);
    require_ok(check, bridge_stream_synchronize(stream));
    const int64_t inside = assay_let_time_pass();
    void *const end = assay_record_time(check, stream);
    require_ok(check, bridge_stream_synchronize(stream));
    const int64_t outside = assay_now_ns() - before;

    expect_elapsed(check, .call = "elapsedTime", .unit = "ms", .unit_ns = 1e6,
                   .elapsed = assay_milliseconds(check, start, end, device), .inside = inside,
                   .outside = outside);
    bridge_event_destroy(start, device);
    bridge_event_destroy(end, device);
}

const struct assay_check_row event_time_checks[] = {
    {"events.elapsed_time_is_in_milliseconds", elapsed_time_is_in_milliseconds},
    {0},
};
