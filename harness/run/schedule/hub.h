/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hubs: failed checks, and the checks that build on them. Those still run. One that fails in the
 * same way follows from the hub and is no violation of its own; one that fails differently is
 * independent. Pure functions; called by schedule.c, readiness.c,
 * judge.c and replay.c.
 */
#ifndef HN_HUB_H
#define HN_HUB_H

#include "schedule.h"

/* number of checks above a hub that may hang; after them the other checks above it are not run */
#define HN_HUB_HUNG_MOST 3

/* The hub that a task follows from: a check that it builds on and that failed in the way that
 * the state of the task gives (see cause_words.h; for wrong values: with the same subject).
 * HN_NONE: the failure is independent. */
size_t hn_hub_of(const struct hn_schedule *schedule, size_t task);
/* Returns 1 if a finished task is a hub or follows from one. Tasks that build on it still run. */
int hn_hub_is(const struct hn_schedule *schedule, size_t task);

/* Records that a task never ended. */
void hn_hub_hung(struct hn_schedule *schedule, size_t task);
/* A hub below a task above which HN_HUB_HUNG_MOST checks have hung; or HN_NONE. */
size_t hn_hub_that_hangs(const struct hn_schedule *schedule, size_t task);

#endif
