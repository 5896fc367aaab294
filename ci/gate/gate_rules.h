/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The types of the gate's rules. gate_rules.c has the table, and README.md shows it to people.
 */
#ifndef CI_GATE_RULES_H
#define CI_GATE_RULES_H

#include "verdict.h"

/* In ascending order: a later decision overrides an earlier one. */
enum ci_decision { CI_PASS, CI_UNDECIDED, CI_BLOCKED, CI_DECISIONS };
enum ci_kind { CI_PR, CI_BASE, CI_ADAPTATION, CI_HARNESS, CI_KINDS };
extern const char *const ci_decision_names[CI_DECISIONS];
extern const char *const ci_kind_names[CI_KINDS];

/* Kinds of change of a check between base and head, for `counts` of the decision. */
enum ci_counter {
    CI_COUNT_CHECKS,
    CI_COUNT_GOOD,
    CI_COUNT_REGRESSED,
    CI_COUNT_LOST,
    CI_COUNT_BROKEN_BEFORE,
    CI_COUNT_EXPECTED,
    CI_COUNT_FIXED,
    CI_COUNT_FLAKY,
    CI_COUNT_SKIPPED,
    CI_COUNT_UNDECIDED,
    CI_COUNT_ADAPTATION,
    CI_COUNTERS
};
extern const char *const ci_counter_names[CI_COUNTERS];

/* The rows. Rules for a pair of verdicts are tried from the top; the first match decides. */
enum ci_rule_id {
    /* about a whole run */
    CI_HEAD_UNUSABLE,
    CI_BASE_UNUSABLE,
    CI_UNADAPTED_UNUSABLE,
    CI_CONTRACT_DIFFERS,
    CI_SUITE_DIFFERS,
    CI_TARGET_DIFFERS,
    CI_TORCH_DIFFERS,
    CI_HEAD_IS_A_SHARD,
    CI_HEAD_INCOMPLETE,
    CI_FEWER_CHECKS,
    CI_HEAD_SILENT,
    CI_BACKEND_UNBUILDABLE,
    CI_BACKEND_UNBUILDABLE_BEFORE,
    CI_BACKEND_STEP_UNDECIDED,
    CI_BACKEND_NOT_LOADED,
    CI_UNKNOWN_CHECKS,
    /* about a check: its verdict on head, its verdict on base */
    CI_COULD_NOT_DECIDE,
    CI_REGRESSION,
    CI_NEW_VIOLATION,
    CI_HIDDEN_BEFORE,
    CI_ALREADY_BROKEN,
    CI_VIOLATION,
    CI_BASE_UNSURE,
    CI_TOO_SLOW,
    CI_LOST,
    CI_KERNEL_LOST,
    CI_CAPABILITY_LOST,
    CI_CAPABILITY_SHRUNK,
    CI_FAILURE_VANISHED,
    CI_FLAKY,
    CI_UNOBSERVED,
    CI_SKIPPED,
    CI_FIXED,
    CI_GOOD,
    /* about a check and its entry in the expectations */
    CI_EXPECTED,
    CI_LISTED_FLAKY,
    CI_FLAKY_FAILED,
    CI_EXPECTATION_FIXED,
    CI_EXPECTATION_WRONG,
    CI_EXPECTATION_ADDED,
    /* about the unadapted backend */
    CI_ADAPT_BUILD,
    CI_ADAPT_CHECKS,
    CI_ADAPT_UNSURE,
    CI_ADAPT_REFERENCE,
    CI_ADAPT_DRIFT,
    /* about PyTorch's own tests: a cause of failures, on head and on base */
    CI_CLUSTER_NEW,
    CI_CLUSTER_UNEXPECTED,
    CI_CLUSTER_UNSURE,
    CI_CLUSTER_ON_BASE,
    CI_CLUSTER_EXPECTED,
    CI_RULES
};

/* Values of `base` that are no verdict: no base run was given, or it does not have the check. */
#define CI_NO_BASE HN_VERDICTS
#define CI_NOT_IN_BASE (HN_VERDICTS + 1)
#define CI_BIT(verdict) (1u << (verdict))

struct ci_rule {
    const char *name;
    unsigned head, base; /* bit sets of verdicts; 0: not a rule for a pair */
    enum ci_decision decides;
    enum ci_kind kind;
    enum ci_counter counter; /* CI_COUNTERS: not counted */
    int silent;              /* counted, but never reported as a cause */
    const char *text;        /* the event, and the action for the user */
};

extern const struct ci_rule ci_rules[CI_RULES];

/* Returns the rule of a pair; every pair has a rule. `base`: a verdict, or a value from above. */
enum ci_rule_id ci_rule_of_pair(enum hn_verdict head, int base);

#endif
