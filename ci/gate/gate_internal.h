/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State that the parts of the gate share while they judge one target.
 */
#ifndef CI_GATE_INTERNAL_H
#define CI_GATE_INTERNAL_H

#include "buffer.h"
#include "gate_decide.h"

#define CI_TEXT_LIMIT 4000
#define CI_SHOWN 5 /* checks that a text tells about; the list has all */

struct ci_line { /* one check of the contract, in all runs */
    const struct rp_check *head, *base, *unadapted;
    const struct ci_expectation *entry; /* that speaks of it and is in order */
    enum ci_rule_id rule;
    const char
        *clause; /* the one that the rule is about, foreign text; NULL: the check as a whole */
    unsigned char adapt; /* what the unadapted run makes of it: a CI_ADAPT_*, 0: nothing */
};

struct ci_judge {
    const struct ci_policy *policy;
    const struct ci_change *change;
    const struct ci_case *now;
    struct hn_arena *arena;
    struct hn_error *error;
    struct ci_line *lines; /* by index of policy->checks */
    int comparable;        /* the target's checks may be looked at */
    struct ci_target_decision *target;
    const struct ci_clusters *clusters; /* while they are judged */
    struct ci_cause *causes, *warnings; /* they grow */
    size_t cause_count, cause_room, warning_count, warning_room;
};

/* A cause without checks; `more` (clean; NULL: nothing) follows the rule's own text. */
int ci_add_cause(struct ci_judge *judge, enum ci_rule_id rule, const char *interface_name,
                 const char *more);
/* One with every line for which belongs() says 1; none if there is no such line. */
int ci_add_check_causes(struct ci_judge *judge, enum ci_rule_id rule,
                        int (*belongs)(const struct ci_line *line, enum ci_rule_id rule),
                        const struct rp_check *(*shown)(const struct ci_line *line));

/* Rules of the runs as a whole: says whether they are comparable. */
int ci_judge_runs(struct ci_judge *judge);
int ci_judge_checks(struct ci_judge *judge);
/* Finds the entry of every line, says what is wrong with the entries. Before ci_judge_checks. */
int ci_judge_expectations(struct ci_judge *judge);
int ci_judge_unadapted(struct ci_judge *judge);
/* After all targets; moves judge->target. */
int ci_judge_drift(struct ci_judge *judge);
/* The same; *decision: what the causes of PyTorch's own tests decide. */
int ci_judge_clusters(struct ci_judge *judge, enum ci_decision *decision);

int ci_is_decisive(const struct ci_policy *policy, size_t index);
/* Its verdict, but that of what blocks it when that could not be decided. */
enum hn_verdict ci_verdict_of(const struct rp_check *check);

/* Foreign words in a sentence of ours, clean and cut; "" without memory. */
const char *ci_said(struct ci_judge *judge, const char *text, size_t most);

#endif
