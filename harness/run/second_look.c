/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See second_look.h. The second job itself is suites/upstream/second_look.py.
 */
#include "second_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence_read.h"

/* The first attempt, with all data that is needed to judge it again from its folder. */
struct hn_first_attempt {
    char folder[1024], nonce[HN_NONCE_SIZE];
    struct hn_ending ending;
    int attempt;
};

#define SKEW "skew"
/* Notes that a second look writes before and after it runs the test on the CPU. An error at another
 * time, such as a slow import, is no evidence about the CPU. */
#define ASKS_THE_CPU "asks the CPU"
#define ON_THE_CPU "on the CPU"

int hn_second_look_wanted(const struct hn_check *check, const struct hn_task_state *state,
                          const struct hn_outcome *outcome)
{
    const enum hn_verdict verdict = outcome->verdict;
    return check->second_look && !state->first &&
           (hn_verdict_table[verdict].fails || verdict == HN_BROKEN || verdict == HN_BLOCKED);
}

int hn_second_look_plan(struct hn_task_state *state, const struct hn_job_order *order,
                        const struct hn_judged *judged)
{
    struct hn_first_attempt *first = calloc(1, sizeof *first);
    if (!first)
        return HN_ENOMEM;
    memcpy(first->folder, order->folder, sizeof order->folder);
    memcpy(first->nonce, order->nonce, sizeof order->nonce);
    first->ending = judged->ending;
    first->attempt = judged->attempt;
    state->first = first;
    return HN_OK;
}

static int died(const struct hn_ending *ending)
{
    return ending->signal || ending->status || ending->cause[0];
}

const char *hn_second_look_setting(const struct hn_task_state *state)
{
    if (!state->first)
        return NULL;
    return died(&state->first->ending) ? "died" : "failed";
}

/* Returns 1 if the second look reports skew, or dies while it runs the test on the CPU. */
static int is_skew(const struct hn_found *found, struct hn_outcome *outcome)
{
    if (outcome->verdict == HN_NOTED)
        return strcmp(found->subject, SKEW) == 0;
    if (!hn_verdict_table[outcome->verdict].fails || !hn_notes_have(&found->notes, ASKS_THE_CPU) ||
        hn_notes_have(&found->notes, ON_THE_CPU))
        return 0;
    outcome->verdict = HN_NOTED;
    snprintf(outcome->reason, sizeof outcome->reason,
             "on the CPU the test does not end normally, either");
    return 1;
}

static void add_notes(struct hn_notes *to, const struct hn_notes *from)
{
    struct hn_note notes[HN_NOTES_MOST];
    const size_t count = hn_notes_list(from, notes);
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].key, ASKS_THE_CPU) != 0)
            hn_notes_add(to, notes[i].key, notes[i].text);
}

void hn_second_look_end(const struct hn_check *check, const struct hn_task_state *state,
                        struct hn_judged *judged)
{
    const struct hn_first_attempt *first = state->first;
    if (is_skew(&judged->found, &judged->outcome))
        return;
    const struct hn_notes notes = judged->found.notes;
    hn_evidence_read(first->folder, first->nonce, &judged->found);
    hn_outcome_decide(check, &judged->found, &first->ending, &judged->outcome);
    add_notes(&judged->found.notes, &notes);
    judged->ending = first->ending;
    judged->folder = first->folder;
    judged->attempt = first->attempt;
}
