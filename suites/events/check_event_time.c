/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares elapsedTime with the host's clock. An inner span of the clock lies between the two
 * events, and an outer span contains both. The stream reaches the first event before the inner span
 * begins. The second event is recorded after the inner span ends.
 */
#include "recorded.h"

#include <stdio.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Waits long enough to detect a result in seconds or microseconds. */
static double let_time_pass(void)
{
    const double begin = now_ms();
    double passed = 0;
    while (passed < 20)
        passed = now_ms() - begin;
    return passed;
}

static void expect_between(struct assay_line at, double elapsed, double least, double most)
{
    char seen[128];
    snprintf(seen, sizeof seen, "elapsedTime is %g ms, the clock measured between %g and %g ms",
             elapsed, least, most);
    assay_expect_true(at, elapsed >= least && elapsed <= most, seen,
                      "elapsedTime agrees with the clock, in milliseconds");
}

static void elapsed_time_is_in_milliseconds(struct assay_check *check)
{
    const double slack = 1.02,
                 /* two clocks are compared, and the device's clock may count whole milliseconds */
        step = 2;
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    const double before = now_ms();
    void *const start = assay_record_time(check, stream);
    require_ok(check, bridge_stream_synchronize(stream));
    const double inside = let_time_pass();
    void *const end = assay_record_time(check, stream);
    require_ok(check, bridge_stream_synchronize(stream));
    const double outside = now_ms() - before;
    const double elapsed = assay_milliseconds(check, start, end, device);

    expect_between(ASSAY_LINE(check), elapsed, inside / slack - step, outside * slack + step);
    bridge_event_destroy(start, device);
    bridge_event_destroy(end, device);
}

const struct assay_check_row event_time_checks[] = {
    {"events.elapsed_time_is_in_milliseconds", elapsed_time_is_in_milliseconds},
    {0},
};
