/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The host's clock, and the comparison of a time that the backend measured with this clock.
 */
#ifndef ASSAY_HOST_CLOCK_H
#define ASSAY_HOST_CLOCK_H

#include "expect.h"

/* [any] May be called in a signal handler. */
int64_t assay_now_ns(void);

/* A time between two events. The inner span of the clock lies between the events, and the outer
 * span contains both. */
struct assay_elapsed {
    const char *call, *unit;
    double unit_ns;          /* nanoseconds of one unit */
    double elapsed;          /* in units, as the backend reports it */
    int64_t inside, outside; /* in nanoseconds */
};

/* Waits long enough to detect a wrong unit. Returns the nanoseconds that passed. */
int64_t assay_let_time_pass(void);

/* Expects that the time agrees with the clock. The device's clock may have another rate and may
 * count whole milliseconds. */
#define expect_elapsed(check, ...)                                                                 \
    assay_expect_elapsed(ASSAY_LINE(check), (struct assay_elapsed){__VA_ARGS__})
void assay_expect_elapsed(struct assay_line at, struct assay_elapsed time);

#endif
