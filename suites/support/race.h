/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads that call at the same time, thousands of times. If the backend lacks a lock, one
 * call can run in the middle of the other. In most rounds a timer interrupts one rival at any
 * instruction of its call. During the interruption the other rival makes a whole call, or waits
 * for a lock. So one busy processor is enough to find a missing lock. Correct locks cannot fail
 * such a check.
 */
#ifndef ASSAY_RACE_H
#define ASSAY_RACE_H

#include "expect.h"

/* The call of a rival in a round. `rival` is 0 or 1. The call may only use expect_*. */
typedef void assay_racer(void *context, uint32_t rival, uint32_t round);

/* Runs at most `rounds` rounds, for a few seconds at most. Returns the number of rounds. `what` is
 * the expectation that the calls return. */
#define assay_race(check, rounds, call, context, what)                                             \
    assay_run_race(ASSAY_LINE(check), (rounds), (call), (context), (what))
uint32_t assay_run_race(struct assay_line at, uint32_t rounds, assay_racer *call, void *context,
                        const char *what);

/* Expects that a bridge status is 0. Ignores a call in which the driver returned an error because
 * the timer's signal interrupted it. */
#define expect_ok_in_race(check, call) assay_expect_ok_in_race(ASSAY_LINE(check), (call), #call)
int assay_expect_ok_in_race(struct assay_line at, int32_t status, const char *call);

#endif
