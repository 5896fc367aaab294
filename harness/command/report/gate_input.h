/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything assay gate reads, put into the shape the gate judges: policy, cases, change; and its
 * decision in the words of a log. Called by cmd_gate.c and cmd_run.c; the gate itself sees no files.
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
    const char *proposed;             /* the expectations the change leaves; NULL */
    const char *drift;                /* of base and head; NULL: not given */
    const char *causes, *base_causes; /* causes.json of runs of PyTorch's own tests; NULL */
    const char *select;               /* what a complete run has; NULL: all */
};

struct hn_gate {
    struct hn_arena *arena; /* NULL: nothing was judged yet */
    struct ci_policy policy;
    struct ci_change change;
    struct ci_case cases[HN_GATE_TARGETS];
    size_t count;
    struct ci_expectations *expectations[HN_GATE_TARGETS + 1],
        *proposed[HN_GATE_TARGETS + 1]; /* by case; the last ones are for the causes */
    struct rp_cause_list causes, base_causes;
    struct ci_result result;
};

/* Reads and decides. Texts of the catalogue are used, not copied. Runs that cannot be used are sides with a
 * refusal; an error is about the command line or a file of our own. Finish it in any case. */
int hn_gate_judge(const struct hn_gate_paths *paths, const struct hn_catalogue *catalogue,
                  struct hn_gate *gate, struct hn_error *error);
void hn_gate_finish(struct hn_gate *gate); /* takes a zeroed one */

/* A list that is not in order would spoil an hour of checks at their very end. A folder is looked at then. */
int hn_gate_check_expectations(const char *path, struct hn_findings *findings);

/* The decision first, then its causes, then the remarks. All texts are clean. */
void hn_gate_print(const struct ci_result *result);

#endif
