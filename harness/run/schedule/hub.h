/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that failed and what stands on them. It runs all the same: what fails the same way follows
 * from the hub and is no violation of its own, what fails otherwise stands for itself. Pure; called
 * by schedule.c, judge.c and replay.c.
 */
#ifndef HN_HUB_H
#define HN_HUB_H

#include "schedule.h"

#define HN_HUB_HUNG_MOST 3 /* of what stands on a hub; after them nothing else that does is tried */

/* The hub that a task follows from: one that it builds on and that failed the way its state says (see cause_words.h; wrong
 * values: of the same thing). HN_NONE: it stands for itself. */
size_t hn_hub_of(const struct hn_schedule *schedule, size_t task);
/* Whether a task that is done is a hub or follows from one: what stands on it runs. */
int hn_hub_is(const struct hn_schedule *schedule, size_t task);

/* A task never came to its end. */
void hn_hub_hung(struct hn_schedule *schedule, size_t task);
/* A hub that a task stands on, under which enough did so; HN_NONE. */
size_t hn_hub_that_hangs(const struct hn_schedule *schedule, size_t task);

#endif
