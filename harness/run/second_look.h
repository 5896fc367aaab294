/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A check that did not pass and says `second_look: yes` is looked at in one more job, which finds out why
 * (suites/upstream). The word of the first attempt stands, whatever becomes of that job, unless it says
 * that the check does not pass without the backend either: skew. Called by judge.c and dispatch.c.
 */
#ifndef HN_SECOND_LOOK_H
#define HN_SECOND_LOOK_H

#include "host_message.h"
#include "schedule.h"

/* An attempt, as it is judged. */
struct hn_judged {
    struct hn_found found;
    struct hn_outcome outcome;
    struct hn_ending ending;
    const char *folder; /* absolute */
    int attempt;
};

/* Whether this outcome of a first attempt is worth a look. */
int hn_second_look_wanted(const struct hn_check *check, const struct hn_task_state *state,
                          const struct hn_outcome *outcome);
/* Remembers the attempt, whose word may stand. HN_ENOMEM: there is no second look. */
int hn_second_look_plan(struct hn_task_state *state, const struct hn_job_order *order,
                        const struct hn_judged *judged);
/* "NAME=value" for the environment of the look; NULL when none is due. */
const char *hn_second_look_setting(const struct hn_task_state *state);
/* After the look, which is `judged`: the first attempt again, with what the look noted, or the look's
 * word that it is skew. */
void hn_second_look_end(const struct hn_check *check, const struct hn_task_state *state,
                        struct hn_judged *judged);

#endif
