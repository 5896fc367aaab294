/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs the tasks of a plan: starts hosts, hands out jobs, collects evidence, writes the journal.
 * This is the entry of the folder. The supervisor prints only through progress.c, and only
 * outcome.c decides verdicts.
 */
#ifndef HN_SUPERVISOR_H
#define HN_SUPERVISOR_H

#include "hn_error.h"
#include "input.h"
#include "outcome.h"
#include "silence.h"

struct hn_run_summary {
    size_t totals[HN_VERDICTS]; /* number of tasks by verdict, without support */
    int complete;
    int interrupted;               /* the signal that stopped the run; 0: none */
    char why[512];                 /* why the run is not complete */
    char refusal[HN_OUTCOME_TEXT]; /* why the target cannot be loaded; "": it can be loaded */
    /* why the run changed from fork-loaded to fork-clean; "": it did not */
    char fell_back[512];
    int exit_status; /* HN_EXIT_OK, _FAILED, _UNDECIDED */
    /* one per task; HN_NOTRUN if there is no verdict. Owned by the summary */
    unsigned char *verdicts;
    /* one per task: the time of all its attempts since the start or resume. Owned by the summary */
    int64_t *took_us;
    int most_threads;      /* largest number of threads of a host before its first fork */
    char device_file[512]; /* a device file that a host had open before its first fork, or "" */
    struct hn_notes notes; /* notes of the warm-up */
    size_t left_changed;   /* number of checks that passed and left changed state */
    struct hn_silence silence;
};

/* Runs to the end, or until it is stopped. Returns HN_OK even if checks failed; see the summary.
 * Returns an error if the folder or the journal cannot be written, or if no host can be started. */
int hn_run(const struct hn_run_input *input, struct hn_run_summary *summary,
           struct hn_error *error);
void hn_run_summary_finish(struct hn_run_summary *summary);

#endif
