/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads everything that the gate judges (policy, cases, change), and prints its decision to a log.
 * Called by cmd_gate.c and cmd_run.c; the gate itself reads no files.
 */
#ifndef HN_GATE_INPUT_H
#define HN_GATE_INPUT_H

#include "catalogue.h"
#include "findings.h"
#include "gate_decide.h"

#define HN_GATE_TARGETS 64

struct hn_gate_paths {
    const char *head, *base, *unadapted; /* runs, or folders of runs; NULL: not given */
    const char *changed_files, *labels, *expectations; /* NULL: not given */
    const char *proposed;             /* expectations after the change; NULL: not given */
    const char *drift;                /* report about base and head; NULL: not given */
    const char *causes, *base_causes; /* causes.json of runs of PyTorch's own tests, or NULL */
    const char *select;               /* selection of a complete run; NULL: all */
};

struct hn_gate {
    struct hn_arena *arena; /* NULL: the gate made no decision yet */
    struct ci_policy policy;
    struct ci_change change;
    struct ci_case cases[HN_GATE_TARGETS];
    size_t count;
    struct ci_expectations *expectations[HN_GATE_TARGETS + 1],
        *proposed[HN_GATE_TARGETS + 1]; /* by case; the last entry is for the causes */
    struct rp_cause_list causes, base_causes;
    struct ci_result result;
};

/* Reads the input and decides. The result borrows texts of the catalogue. A run that cannot be used
 * is no error: the gate gets its reason as a refusal. An error concerns the command line or one of
 * our own files. The caller must call hn_gate_finish in any case. */
int hn_gate_judge(const struct hn_gate_paths *paths, const struct hn_catalogue *catalogue,
                  struct hn_gate *gate, struct hn_error *error);
void hn_gate_finish(struct hn_gate *gate); /* accepts a zeroed struct */

/* Verifies a list of expectations before a run, which may take an hour. A folder is not
 * verified. */
int hn_gate_check_expectations(const char *path, struct hn_findings *findings);

/* Prints the decision, then its causes, then the remarks. ci_clean has filtered all texts. */
void hn_gate_print(const struct ci_result *result);

#endif
