/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State that the parts of the gate share while they judge one target.
 */
#ifndef CI_GATE_INTERNAL_H
#define CI_GATE_INTERNAL_H

#include "buffer.h"
#include "gate_decide.h"

#define CI_TEXT_LIMIT 4000
#define CI_SHOWN 5 /* most checks that a text names; the list has all */

struct ci_line { /* one check of the contract, with its results in all runs */
    const struct rp_check *head, *base, *unadapted;
    const struct ci_expectation *entry; /* the valid entry that matches the check */
    enum ci_rule_id rule;
    const char *clause;  /* the clause that the rule is about, untrusted; NULL: the whole check */
    unsigned char adapt; /* result in the unadapted run: a CI_ADAPT_*, 0: none */
};

struct ci_judge {
    const struct ci_policy *policy;
    const struct ci_change *change;
    const struct ci_case *now;
    struct hn_arena *arena;
    struct hn_error *error;
    struct ci_line *lines; /* by index of policy->checks */
    int comparable;        /* the runs of the target can be compared */
    struct ci_target_decision *target;
    const struct ci_clusters *clusters; /* set while PyTorch's own tests are judged */
    struct ci_cause *causes, *warnings; /* growing lists */
    size_t cause_count, cause_room, warning_count, warning_room;
};

/* Adds a cause without checks; `more` (escaped; NULL: none) is appended to the rule's text. */
int ci_add_cause(struct ci_judge *judge, enum ci_rule_id rule, const char *interface_name,
                 const char *more);
/* Adds a cause with every line for which belongs() returns 1; no cause if there is no such line. */
int ci_add_check_causes(struct ci_judge *judge, enum ci_rule_id rule,
                        int (*belongs)(const struct ci_line *line, enum ci_rule_id rule),
                        const struct rp_check *(*shown)(const struct ci_line *line));

/* Applies the rules about whole runs, and decides whether the runs are comparable. */
int ci_judge_runs(struct ci_judge *judge);
int ci_judge_checks(struct ci_judge *judge);
/* Finds the entry of every line, and reports invalid entries. Call it before ci_judge_checks. */
int ci_judge_expectations(struct ci_judge *judge);
int ci_judge_unadapted(struct ci_judge *judge);
/* Judges the comparison of PyTorch versions, after all targets; changes judge->target. */
int ci_judge_drift(struct ci_judge *judge);
/* Judges the causes of PyTorch's own tests, after all targets; *decision depends only on them. */
int ci_judge_clusters(struct ci_judge *judge, enum ci_decision *decision);

int ci_is_decisive(const struct ci_policy *policy, size_t index);
/* Returns the verdict of the check. If the blocking check is undecided, returns that verdict. */
enum hn_verdict ci_verdict_of(const struct rp_check *check);

/* Escapes and shortens untrusted text for use in a sentence; "" if out of memory. */
const char *ci_said(struct ci_judge *judge, const char *text, size_t most);

#endif
