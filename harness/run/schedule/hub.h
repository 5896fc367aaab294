/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hub is a failed check. The checks that build on a hub still run. If such a check fails in
 * the same way, its failure follows from the hub and is no separate violation. If the check
 * fails differently, its failure is independent. Pure functions; called by schedule.c,
 * readiness.c, judge.c and replay.c.
 */
#ifndef HN_HUB_H
#define HN_HUB_H

#include "schedule.h"

/* when this many checks that build on a hub have hung, the other checks above this hub are not
 * run */
#define HN_HUB_HUNG_MOST 3

/* Returns the hub that a task follows from. The task builds on the hub, and both failed in the same
 * way (see cause_words.h). For wrong values, "in the same way" means that both failures have the
 * same subject. HN_NONE: the failure is independent. */
size_t hn_hub_of(const struct hn_schedule *schedule, size_t task);
/* Returns 1 if a finished task is a hub or follows from a hub. Tasks that build on this task still
 * run. */
int hn_hub_is(const struct hn_schedule *schedule, size_t task);

/* Records that a task never ended. */
void hn_hub_hung(struct hn_schedule *schedule, size_t task);
/* Returns a hub below a task, if HN_HUB_HUNG_MOST checks above the hub have hung; else HN_NONE. */
size_t hn_hub_that_hangs(const struct hn_schedule *schedule, size_t task);

#endif
