/* SPDX-License-Identifier: BSD-3-Clause
 *
 * If a check with `second_look: yes` does not pass, one more job, the second look, finds out why
 * (suites/upstream). The verdict of the first attempt stands, unless the second look shows that the
 * check fails without the backend too; then the verdict is skew. Called by judge.c and dispatch.c.
 */
#ifndef HN_SECOND_LOOK_H
#define HN_SECOND_LOOK_H

#include "host_message.h"
#include "schedule.h"

/* An attempt, with the data from which its verdict was decided. */
struct hn_judged {
    struct hn_found found;
    struct hn_outcome outcome;
    struct hn_ending ending;
    const char *folder; /* absolute */
    int attempt;
};

/* Returns 1 if this outcome of a first attempt needs a second look. */
int hn_second_look_wanted(const struct hn_check *check, const struct hn_task_state *state,
                          const struct hn_outcome *outcome);
/* Stores the first attempt. HN_ENOMEM: there is no second look. */
int hn_second_look_plan(struct hn_task_state *state, const struct hn_job_order *order,
                        const struct hn_judged *judged);
/* Returns "NAME=value" for the environment of the second look; NULL if none is due. */
const char *hn_second_look_setting(const struct hn_task_state *state);
/* Called after the second look, whose result is in `judged`. If the verdict is not skew, restores
 * the result of the first attempt and adds the notes of the second look. */
void hn_second_look_end(const struct hn_check *check, const struct hn_task_state *state,
                        struct hn_judged *judged);

#endif
