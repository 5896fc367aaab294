/* SPDX-License-Identifier: BSD-3-Clause
 *
 * journal.jsonl: append-only JSON lines with one writer, the only truth about a run. Each line is
 * one write, so a killed writer leaves at most one torn line, and that at the end.
 */
#ifndef HN_JOURNAL_H
#define HN_JOURNAL_H

#include <sys/types.h>

#include "record.h"

#define HN_JOURNAL_FILE "journal.jsonl"
#define HN_JOURNAL_SCHEMA "assay/journal/1"
#define HN_JOURNAL_LINE ((size_t)8 << 20) /* the record of the plan is one line */

/* ---- writing */

struct hn_journal {
    int file;
    off_t end;               /* of what this writer knows to be there */
    int unsynced;            /* lines since the disk was last asked to keep them */
    struct hn_error failure; /* of the first write that failed: nothing is appended after it */
};

/* A new journal; refuses to touch one that is there. */
int hn_journal_create(struct hn_journal *journal, const char *path, struct hn_error *error);
/* An existing one, to go on behind its last whole line; a torn one is cut off. Refuses a journal
 * that another writer holds. */
int hn_journal_reopen(struct hn_journal *journal, const char *path, struct hn_error *error);
void hn_journal_close(struct hn_journal *journal); /* takes a closed one, whose file is -1 */

/* All or nothing: what was written of a line that does not fit on the disk is taken back. Notices
 * that somebody else shortened, lengthened or removed the file. */
int hn_journal_write(struct hn_journal *journal, const struct hn_record *record,
                     struct hn_error *error);
/* Survives a power cut from here on; the end of a write survives a kill without it. */
void hn_journal_sync(struct hn_journal *journal);

/* ---- reading */

/* Lines that could not be read. They cost what they said and no more. */
struct hn_journal_gaps {
    int torn;              /* the last line has no end: its writer died */
    size_t lines;          /* others that are not JSON, or too long */
    struct hn_error first; /* why the first of those could not be read, and which it is */
};

/* Called with each record in order, whose texts live until it returns; a status other than HN_OK
 * ends the reading. Records of a kind that this program does not know are passed over. */
typedef int (*hn_journal_visit)(void *context, const struct hn_record *record,
                                struct hn_error *error);
/* Line by line, whatever the size of the file. The first record is the run, and there is one: else
 * HN_EINPUT, and so is a line that is JSON and no record. `gaps` may be NULL. */
int hn_journal_read(const char *path, hn_journal_visit visit, void *context,
                    struct hn_journal_gaps *gaps, struct hn_error *error);

/* The first record alone, kept: hn_journal_head_destroy() it. */
int hn_journal_head(const char *path, struct hn_record **head, struct hn_error *error);
void hn_journal_head_destroy(struct hn_record *head); /* takes NULL */

#endif
