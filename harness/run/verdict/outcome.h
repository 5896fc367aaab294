/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides a verdict (hn_outcome) from the events of a job (hn_found) and the end of its process
 * (hn_ending). The rules are one table in outcome.c.
 */
#ifndef HN_OUTCOME_H
#define HN_OUTCOME_H

#include <stdint.h>

#include "input.h"
#include "verdict.h"

#define HN_OUTCOME_TEXT 2048
#define HN_CLAUSES_MOST 32 /* largest number of clauses that one check may report on */

/* A clause that the findings of a check name. */
struct hn_found_clause {
    char id[32];
    int worst; /* ASSAY_FINDING_*, 0: none */
};

/* The content of events.jsonl, read and verified. */
struct hn_found {
    int end;           /* the last event was a valid end record */
    char spoiled[200]; /* why the evidence cannot be trusted, or "" */
    char problem_stage[16], problem[HN_OUTCOME_TEXT];
    int finding_count;
    int worst; /* ASSAY_FINDING_*, 0: none */
    struct hn_found_clause clauses[HN_CLAUSES_MOST];
    size_t clause_count;
    size_t clause;    /* number of the last clause that was running, from 1; 0: none */
    int worst_of_all; /* worst of the findings that name no clause */
    char what[HN_OUTCOME_TEXT], seen[HN_OUTCOME_TEXT], subject[256], file[512];
    int line;
    struct hn_notes notes;
};

/* The report of the host on the end of the process. */
struct hn_ending {
    int host_lost;      /* the host is gone, and nothing else is known */
    int host_poor;      /* the host or the supervisor ran out of memory: the machine is the cause */
    int host_silent;    /* the host was killed because it was silent */
    int no_room;        /* an event of the job could not be written, because the disk was full */
    int goes_on;        /* batch: the process lives and runs the next job */
    int signal, status; /* both 0: normal end */
    char cause[16];     /* "timeout", "folder", "cancel", or "" */
    char stage[16];
    /* program or check that still worked at the deadline, or "" */
    char at_work[80];
    int64_t limit_ms, extended_ms; /* its deadline and its extension; 0: none */
    /* the last marked position, and the call that was running there; each may be "" */
    char mark_file[256], under_way[240];
    int mark_line;         /* the line of the marked position */
    int left_behind;       /* number of processes left behind */
    char left_memory[512]; /* as text, or "" */
    int64_t duration_us, cpu_us, rss_kib, out_bytes, err_bytes;
};

struct hn_outcome {
    enum hn_verdict verdict;
    char reason[HN_OUTCOME_TEXT]; /* one sentence; "" for a plain pass */
};

/* Returns the verdict of a check whose worst finding is of this kind; 0: no finding. */
enum hn_verdict hn_outcome_of_finding(int kind);

void hn_outcome_decide(const struct hn_check *check, const struct hn_found *found,
                       const struct hn_ending *ending, struct hn_outcome *outcome);

/* Changes a pass to slow if the check exceeded its own deadline, which is 1/part of limit_ms. */
void hn_outcome_late(const struct hn_ending *ending, int part, struct hn_outcome *outcome);

/* Writes "SIGSEGV" or, without a name, "signal 42". */
void hn_signal_name(int number, char *text, size_t size);

#endif
