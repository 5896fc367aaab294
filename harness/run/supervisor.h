/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the tasks of a plan: starts hosts, hands out jobs, collects evidence, writes the journal.
 * The entry of this folder. Prints only through progress.c; judges only through outcome.c.
 */
#ifndef HN_SUPERVISOR_H
#define HN_SUPERVISOR_H

#include "hn_error.h"
#include "input.h"
#include "outcome.h"
#include "silence.h"

struct hn_run_summary {
    size_t totals[HN_VERDICTS]; /* of tasks that are not only support */
    int complete;
    int interrupted;               /* by this signal; 0: by none */
    char why[512];                 /* why it is not complete */
    char refusal[HN_OUTCOME_TEXT]; /* why the target cannot be loaded; "": it can */
    char fell_back[512]; /* why the mode fork-loaded was given up for fork-clean; "": it was not */
    int exit_status;     /* HN_EXIT_OK, _FAILED, _UNDECIDED */
    unsigned char *verdicts; /* one per task; HN_NOTRUN where there is none. Owned by the summary */
    int64_t *took_us;        /* one per task, all its attempts of this life together. Owned, too */
    int most_threads;        /* that a host had before its first fork */
    char device_file[512];   /* that a host had open before its first fork, or "" */
    struct hn_notes notes;   /* of the warm-up */
    size_t left_changed;     /* checks that passed and left something changed */
    struct hn_silence silence;
};

/* Runs to the end, or until it is stopped. HN_OK also when checks failed: see the summary. An error
 * means that the run could not be kept: folder, journal, no host. */
int hn_run(const struct hn_run_input *input, struct hn_run_summary *summary,
           struct hn_error *error);
void hn_run_summary_finish(struct hn_run_summary *summary);

#endif
