/* SPDX-License-Identifier: BSD-3-Clause
 *
 * journal.jsonl: append-only JSON lines with one writer, the only truth about a run. Each line is
 * one write, so a killed supervisor leaves at most one torn line, and that at the end.
 */
#ifndef HN_JOURNAL_H
#define HN_JOURNAL_H

#include <stddef.h>

#include "hn_error.h"
#include "json_read.h"

#define HN_JOURNAL_FILE "journal.jsonl"
#define HN_JOURNAL_LINE (8u << 20) /* the record of the plan is one line */

struct hn_journal {
    int file;
    int unsynced; /* lines since the disk was last asked to keep them */
};

/* A new journal; refuses to touch one that is there. */
int hn_journal_create(struct hn_journal *journal, const char *path, struct hn_error *error);
/* An existing one, to go on behind its last whole line; a torn one is cut off. Refuses a journal
 * that another writer holds. */
int hn_journal_reopen(struct hn_journal *journal, const char *path, struct hn_error *error);
void hn_journal_close(struct hn_journal *journal); /* takes a zeroed or closed one */

/* `line` without its newline. */
int hn_journal_append(struct hn_journal *journal, const char *line, size_t length,
                      struct hn_error *error);
/* Survives a power cut from here on; the end of a write survives a kill without it. */
void hn_journal_sync(struct hn_journal *journal);

/* Called with each whole line in order; a status other than HN_OK ends the reading. */
typedef int (*hn_journal_visit)(void *context, const struct hn_json *record,
                                struct hn_error *error);
/* Reads all whole lines. A torn last line is left out and reported in `torn` (may be NULL). A line
 * in the middle that is not JSON is HN_EINPUT with its number. */
int hn_journal_read(const char *path, hn_journal_visit visit, void *context, int *torn,
                    struct hn_error *error);

#endif
