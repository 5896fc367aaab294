/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evidence of a job in its folder, which survives any death of the job: events.jsonl, one JSON
 * object per line, and the mark page, mapped memory that holds the line reached last. The end
 * record is the last event and carries the nonce: without it nothing has been shown.
 */
#ifndef HN_EVIDENCE_H
#define HN_EVIDENCE_H

#include <stdint.h>

#include "assay/check.h"

#define HN_EVENTS_FILE "events.jsonl"
#define HN_MARK_FILE "mark"
#define HN_STACK_FILE "stack.txt"
#define HN_EVIDENCE_PATH 1100
/* Findings and notes of one job beyond these are only counted, but for the first finding of a kind:
 * the worst is never lost, and the file stays one that can be read. */
#define HN_FINDINGS_STORED 1000
#define HN_EVENTS_BYTES (8u << 20)

/* Clauses that a check may speak of, and the length of their names. */
#define HN_CLAUSES 32
#define HN_CLAUSE_SIZE 32

/* The mapped page. Written by the job, read by the host after its death. */
struct hn_mark {
    uint32_t magic;
    int32_t line;
    uint32_t moves;      /* how often a line was reached */
    char file[244];      /* cut at its front when too long */
    uint32_t no_room;    /* a line of its evidence found no room on the disk */
    char under_way[240]; /* what the check asks, or asked last: for a death alone */
};
#define HN_MARK_MAGIC 0x4b52414du

struct hn_evidence {
    char events[HN_EVIDENCE_PATH], stack[HN_EVIDENCE_PATH];
    char nonce[40];
    struct hn_mark *mark;
    uint32_t findings, stored, kinds, bytes;  /* atomic: a finding may come from any thread */
    char clauses[HN_CLAUSES][HN_CLAUSE_SIZE]; /* that the check has spoken of; they stay */
    uint32_t clause_count, clause; /* clause: atomic; number of the one it is about, 0: none */
};

/* 0, or -1 when the folder cannot be written. */
int hn_evidence_open(struct hn_evidence *evidence, const char *folder, const char *nonce);
/* Unmaps. The files stay. */
void hn_evidence_close(struct hn_evidence *evidence);

/* Each writes one line; a full disk shows as a missing end record. [any] */
void hn_evidence_finding(struct hn_evidence *evidence, const struct assay_finding *finding);
void hn_evidence_note(struct hn_evidence *evidence, const char *key, const char *text);
/* Names the clause that later events are about; NULL: none in particular. [main] */
void hn_evidence_clause(struct hn_evidence *evidence, const char *id);
/* Why load, prepare or the check itself could not be done. `stage`: "load", "check", ... */
void hn_evidence_problem(struct hn_evidence *evidence, const char *stage, const char *text);
void hn_evidence_end(struct hn_evidence *evidence);

/* A note of this key is kept in the mark: nobody reads it of a job that ends in order. */
#define HN_NOTE_UNDER_WAY "under way"

/* [signal] */
void hn_evidence_mark(struct hn_evidence *evidence, const char *file, int32_t line);

/* The page of the job whose folder this is; `line` is 0 when none was reached. 0, or -1 when there is none. */
int hn_mark_read(const char *folder, struct hn_mark *mark);

#endif
