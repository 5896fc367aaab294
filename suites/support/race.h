/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads that call at the same moment, thousands of times: where a lock is missing one of them comes in between. In most
 * rounds one is interrupted by a timer, at any instruction of its call, and the other one makes its whole call meanwhile, if
 * nothing holds it; so one busy processor is enough. A backend that has its locks cannot fail such a check.
 */
#ifndef ASSAY_RACE_H
#define ASSAY_RACE_H

#include "expect.h"

/* Call of a rival in a round; `rival` is 0 or 1. In it only expect_*. */
typedef void assay_racer(void *context, uint32_t rival, uint32_t round);

/* At most `rounds`, and no more than a few seconds allow; returns how many there were. `what` is the demand that they
 * return. */
#define assay_race(check, rounds, call, context, what)                                             \
    assay_run_race(ASSAY_LINE(check), (rounds), (call), (context), (what))
uint32_t assay_run_race(struct assay_line at, uint32_t rounds, assay_racer *call, void *context,
                        const char *what);

/* A bridge status is 0, or the driver has told of the timer's signal: nothing is said of that call. */
#define expect_ok_in_race(check, call) assay_expect_ok_in_race(ASSAY_LINE(check), (call), #call)
int assay_expect_ok_in_race(struct assay_line at, int32_t status, const char *call);

#endif
