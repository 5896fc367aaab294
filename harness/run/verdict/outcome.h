/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From evidence to verdict. What the job left behind (hn_found), how its process ended (hn_ending),
 * and what follows (hn_outcome). The rules are one table in outcome.c.
 */
#ifndef HN_OUTCOME_H
#define HN_OUTCOME_H

#include <stdint.h>

#include "input.h"
#include "verdict.h"

#define HN_OUTCOME_TEXT 2048
#define HN_CLAUSES_MOST 32 /* that one check may speak of */

/* A clause that a check spoke of. */
struct hn_found_clause {
    char id[32];
    int worst; /* ASSAY_FINDING_*, 0: none */
};

/* events.jsonl, read and checked. */
struct hn_found {
    int end;           /* a valid end record was the last event */
    char spoiled[200]; /* why the evidence cannot be trusted, or "" */
    char problem_stage[16], problem[HN_OUTCOME_TEXT];
    int finding_count;
    int worst; /* ASSAY_FINDING_*, 0: none */
    struct hn_found_clause clauses[HN_CLAUSES_MOST];
    size_t clause_count;
    size_t clause;    /* the one it was about at last, by number; 0: none */
    int worst_of_all; /* of the findings that are about no clause in particular */
    char what[HN_OUTCOME_TEXT], seen[HN_OUTCOME_TEXT], subject[256], file[512];
    int line;
    struct hn_notes notes;
};

/* Report of the host on the end of the process. */
struct hn_ending {
    int host_lost;      /* it is gone: nothing more is known */
    int host_poor;      /* it, or we, had no memory left: the machine's doing */
    int host_silent;    /* it was killed because it said nothing any more */
    int no_room;        /* a line of its evidence found no room on the disk */
    int goes_on;        /* batch: the process lives and does the next job */
    int signal, status; /* 0 each: left in order */
    char cause[16];     /* "timeout", "folder", "cancel", or "" */
    char stage[16];
    char at_work[80];                    /* what still got on when its time was over, or "" */
    int64_t limit_ms, extended_ms;       /* its deadline; how much more it was given. 0: none */
    char mark_file[256], under_way[240]; /* how far it got, and what it asked then; "" each */
    int mark_line, left_behind;          /* processes */
    char left_memory[512];               /* in words, or "" */
    int64_t duration_us, cpu_us, rss_kib, out_bytes, err_bytes;
};

struct hn_outcome {
    enum hn_verdict verdict;
    char reason[HN_OUTCOME_TEXT]; /* one sentence; "" for a plain pass */
};

/* Verdict that a finding of this kind gives its check; 0: no finding. */
enum hn_verdict hn_outcome_of_finding(int kind);

void hn_outcome_decide(const struct hn_check *check, const struct hn_found *found,
                       const struct hn_ending *ending, struct hn_outcome *outcome);

/* Calls a good end slow if it took more than its own time, a part of its limit (1: all of it). */
void hn_outcome_late(const struct hn_ending *ending, int part, struct hn_outcome *outcome);

/* "SIGSEGV", or "signal 42". */
void hn_signal_name(int number, char *text, size_t size);

#endif
