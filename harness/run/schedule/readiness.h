/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether a waiting task may run, must wait, or gets a verdict without running. Pure
 * functions that never change the schedule; called by schedule.c.
 */
#ifndef HN_READINESS_H
#define HN_READINESS_H

#include "schedule.h"

/* State of a waiting task for the scheduler. */
enum hn_readiness {
    HN_READY,
    HN_NOT_YET, /* a task that it builds on is not decided */
    HN_DECIDED, /* `outcome` holds its verdict: blocked or skip */
};
enum hn_readiness hn_schedule_readiness(const struct hn_schedule *schedule, size_t task,
                                        struct hn_outcome *outcome, size_t *cause);

/* Returns 1 if the task runs in a Python host. */
int hn_schedule_is_python(const struct hn_schedule *schedule, size_t task);

/* Returns 1 if the task is the probe or the refusal check of a capability. */
int hn_schedule_is_proof(const struct hn_schedule *schedule, size_t task);

#endif
