/* SPDX-License-Identifier: BSD-3-Clause
 *
 * journal.jsonl is the only record of a run: append-only JSON lines with one writer. Each line is a
 * single write, so a killed writer leaves at most one incomplete line, at the end. Called by the
 * supervisor, merge, the proof and the reports.
 */
#ifndef HN_JOURNAL_H
#define HN_JOURNAL_H

#include <sys/types.h>

#include "record.h"

#define HN_JOURNAL_FILE "journal.jsonl"
#define HN_JOURNAL_SCHEMA "assay/journal/1"
/* limit of one line; the longest is the record of the plan */
#define HN_JOURNAL_LINE ((size_t)8 << 20)

/* ---- writing */

struct hn_journal {
    int file;
    off_t end;               /* end of the lines that this writer knows */
    int unsynced;            /* number of lines since the last fsync */
    struct hn_error failure; /* the first write that failed; afterwards nothing is appended */
};

/* Creates a journal; returns an error if the file exists. */
int hn_journal_create(struct hn_journal *journal, const char *path, struct hn_error *error);
/* Opens an existing journal, to append after its last complete line, and cuts off an incomplete
 * line. Returns an error if another writer has the journal open. */
int hn_journal_reopen(struct hn_journal *journal, const char *path, struct hn_error *error);
/* No-op for a closed journal, whose file is -1. */
void hn_journal_close(struct hn_journal *journal);

/* Writes a whole line or none: if the disk is full, the written part of the line is removed.
 * Returns an error if another program has shortened, extended or removed the file. */
int hn_journal_write(struct hn_journal *journal, const struct hn_record *record,
                     struct hn_error *error);
/* Makes the lines survive a power failure. Without this call, the lines survive the death of the
 * process, but not a power failure. */
void hn_journal_sync(struct hn_journal *journal);

/* ---- reading */

/* Lines that could not be read. The other lines are not affected. */
struct hn_journal_gaps {
    int torn;              /* the last line has no end, because its writer died */
    size_t lines;          /* number of other lines that are not JSON, or too long */
    struct hn_error first; /* error and number of the first of these lines */
};

/* Called with each record in order; the texts of the record live until the call returns. A status
 * other than HN_OK ends the reading. Records of an unknown kind are skipped. */
typedef int (*hn_journal_visit)(void *context, const struct hn_record *record,
                                struct hn_error *error);
/* Reads line by line, for files of any size. Returns HN_EINPUT if the first record is not the
 * record of the run, or if a line is valid JSON but is not a record. `gaps` may be NULL. */
int hn_journal_read(const char *path, hn_journal_visit visit, void *context,
                    struct hn_journal_gaps *gaps, struct hn_error *error);

/* Reads only the first record, which the caller destroys with hn_journal_head_destroy(). */
int hn_journal_head(const char *path, struct hn_record **head, struct hn_error *error);
void hn_journal_head_destroy(struct hn_record *head); /* NULL is a no-op */

#endif
