/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See host_clock.h.
 */
#include "host_clock.h"

#include <stdio.h>
#include <time.h>

int64_t assay_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t assay_let_time_pass(void)
{
    const int64_t begin = assay_now_ns();
    int64_t passed = 0;
    while (passed < 20000000)
        passed = assay_now_ns() - begin;
    return passed;
}

void assay_expect_elapsed(struct assay_line at, struct assay_elapsed time)
{
    const double slack = 1.02, step_ns = 2e6;
    const double least = ((double)time.inside / slack - step_ns) / time.unit_ns;
    const double most = ((double)time.outside * slack + step_ns) / time.unit_ns;
    char seen[160], wanted[160];
    snprintf(seen, sizeof seen, "%s is %g %s, the clock measured between %g and %g %s", time.call,
             time.elapsed, time.unit, least, most, time.unit);
    snprintf(wanted, sizeof wanted, "%s agrees with the clock, in %s", time.call, time.unit);
    assay_expect_true(at, time.elapsed >= least && time.elapsed <= most, seen, wanted);
}
