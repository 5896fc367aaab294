/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the evidence of a job to its folder, where it survives any death of the job: events.jsonl,
 * with one JSON object per line, and the mark page, which is mapped memory with the last line that
 * the job reached. The end record is the last event and carries the nonce. A job without an end
 * record has no valid evidence.
 */
#ifndef HN_EVIDENCE_H
#define HN_EVIDENCE_H

#include <stdint.h>

#include "assay/check.h"

#define HN_EVENTS_FILE "events.jsonl"
#define HN_MARK_FILE "mark"
#define HN_STACK_FILE "stack.txt"
#define HN_EVIDENCE_PATH 1100
/* Beyond these limits, findings and notes are only counted, so that the size of the file is
 * limited. The first finding of each kind is always stored, so the worst finding is never lost. */
#define HN_FINDINGS_STORED 1000
#define HN_EVENTS_BYTES (8u << 20)

/* Number of clauses that a check may report on, and the length of their names. */
#define HN_CLAUSES 32
#define HN_CLAUSE_SIZE 32

/* The mapped page. The job writes this page, and the host reads the page after the death of the
 * job. */
struct hn_mark {
    uint32_t magic;
    int32_t line;
    uint32_t moves;      /* how often a line was marked */
    char file[244];      /* if too long, its beginning is cut off */
    uint32_t no_room;    /* an event of the job could not be written, because the disk was full */
    char under_way[240]; /* current or last call of the check, for a process that dies */
};
#define HN_MARK_MAGIC 0x4b52414du

struct hn_evidence {
    char events[HN_EVIDENCE_PATH], stack[HN_EVIDENCE_PATH];
    char nonce[40];
    struct hn_mark *mark;
    /* atomic, because a finding may come from any thread */
    uint32_t findings, stored, kinds, bytes;
    /* clauses that the check has reported on; never removed */
    char clauses[HN_CLAUSES][HN_CLAUSE_SIZE];
    uint32_t clause_count, clause; /* clause: atomic; number of the current clause, 0: none */
};

/* Returns 0, or -1 if the folder cannot be written. */
int hn_evidence_open(struct hn_evidence *evidence, const char *folder, const char *nonce);
/* Unmaps the page. The files stay. */
void hn_evidence_close(struct hn_evidence *evidence);

/* Each of these calls writes one line. If the disk is full, the end record is missing. [any] */
void hn_evidence_finding(struct hn_evidence *evidence, const struct assay_finding *finding);
void hn_evidence_note(struct hn_evidence *evidence, const char *key, const char *text);
/* Sets the clause of later events; NULL: later events belong to no clause. [main] */
void hn_evidence_clause(struct hn_evidence *evidence, const char *id);
/* Writes why load, prepare or the check itself failed. `stage`: "load", "check", ... */
void hn_evidence_problem(struct hn_evidence *evidence, const char *stage, const char *text);
void hn_evidence_end(struct hn_evidence *evidence);

/* A note with this key is stored in the mark page only, because it matters only if the job dies. */
#define HN_NOTE_UNDER_WAY "under way"

/* Marks the line that the check has reached. [signal] */
void hn_evidence_mark(struct hn_evidence *evidence, const char *file, int32_t line);

/* Reads the mark page from the folder of a job; `line` is 0 if no line was marked. Returns 0, or -1
 * if there is no page. */
int hn_mark_read(const char *folder, struct hn_mark *mark);

#endif
