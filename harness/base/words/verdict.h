/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The verdicts: one table. Exit status, gate meaning, JUnit kind and rank all come from here.
 */
#ifndef HN_VERDICT_H
#define HN_VERDICT_H

/* In the order of rank, worst first; the value is the index of the row. */
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
    HN_VERDICTS /* how many */
};

/* Rule of the gate for a verdict on a must of the head run. */
enum hn_gate_rule {
    HN_GATE_REGRESSION, /* blocked if the base run did better */
    HN_GATE_UNDECIDED,  /* never a pass */
    HN_GATE_SLOW,       /* if it passed on base: undecided; else not counted */
    HN_GATE_LOST,       /* if it passed on base: lost, shown with its cause */
    HN_GATE_CAPABILITY, /* if it passed on base: a capability or kernel was lost, blocked */
    HN_GATE_IGNORED,    /* not counted */
    HN_GATE_WARN,       /* pass with a warning, silent where it is listed */
    HN_GATE_PASS
};

enum hn_junit_kind { HN_JUNIT_PASSED, HN_JUNIT_FAILURE, HN_JUNIT_ERROR, HN_JUNIT_SKIPPED };

struct hn_verdict_row {
    const char *name;
    int fails;       /* counts against the level */
    int exit_status; /* of `assay run`, when the requirement's level counts */
    enum hn_gate_rule gate;
    enum hn_junit_kind junit;
    int rank; /* lowest wins; two verdicts may share one */
    int good; /* what builds on it may run */
    const char *meaning;
};

extern const struct hn_verdict_row hn_verdict_table[HN_VERDICTS];

/* HN_OK, or HN_EINPUT for an unknown name (the output is untouched). */
int hn_verdict_from_name(const char *name, enum hn_verdict *verdict);
/* The one of lower rank. */
enum hn_verdict hn_verdict_worse(enum hn_verdict a, enum hn_verdict b);

#endif
