/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of verdicts. Each row has the exit status, the meaning for the gate, the JUnit kind and
 * the rank of a verdict.
 */
#ifndef HN_VERDICT_H
#define HN_VERDICT_H

/* The verdicts in the order of rank, worst first. The value is the index of the row. */
enum hn_verdict {
    HN_CRASH,
    HN_TIMEOUT,
    HN_FAIL,
    HN_BROKEN,
    HN_INCOMPLETE,
    HN_NOTRUN,
    HN_SLOW,
    HN_BLOCKED,
    HN_FALLBACK,
    HN_SKIP,
    HN_UNOBSERVABLE,
    HN_FLAKY,
    HN_NOTED,
    HN_PASS,
    HN_VERDICTS /* the number of verdicts */
};

/* Rule of the gate for a verdict on a must in the head run. */
enum hn_gate_rule {
    HN_GATE_REGRESSION, /* blocked if the base run had a better verdict */
    HN_GATE_UNDECIDED,  /* the decision is never pass */
    HN_GATE_SLOW,       /* undecided if the check passed on base, otherwise not counted */
    HN_GATE_LOST,       /* lost if the check passed on base; shown with its cause */
    HN_GATE_CAPABILITY, /* blocked if the check passed on base: a capability or kernel was lost */
    HN_GATE_IGNORED,    /* not counted */
    HN_GATE_WARN,       /* pass with a warning, or silently if the expectations list the check */
    HN_GATE_PASS
};

enum hn_junit_kind { HN_JUNIT_PASSED, HN_JUNIT_FAILURE, HN_JUNIT_ERROR, HN_JUNIT_SKIPPED };

struct hn_verdict_row {
    const char *name;
    int fails;       /* counts as a failure */
    int exit_status; /* exit status of `assay run` if the level of the requirement counts */
    enum hn_gate_rule gate;
    enum hn_junit_kind junit;
    int rank; /* a lower rank is worse; two verdicts may have the same rank */
    int good; /* checks that build on this check may run */
    const char *meaning;
};

extern const struct hn_verdict_row hn_verdict_table[HN_VERDICTS];

/* Returns HN_OK, or HN_EINPUT for an unknown name; the output is then unchanged. */
int hn_verdict_from_name(const char *name, enum hn_verdict *verdict);
/* The verdict with the lower rank. */
enum hn_verdict hn_verdict_worse(enum hn_verdict a, enum hn_verdict b);

#endif
