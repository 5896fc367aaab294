/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The records of the journal, written; reports/schema/journal.schema.json describes them. One
 * function per kind. Called by the supervisor and merge.
 */
#ifndef HN_RECORD_H
#define HN_RECORD_H

#include "buffer.h"
#include "journal.h"
#include "outcome.h"

#define HN_JOURNAL_SCHEMA "assay/journal/1"

/* "run": first line. `header` holds further members as JSON text: target, torch, contract... */
int hn_record_run(struct hn_journal *journal, const struct hn_run_input *input,
                  struct hn_error *error);
/* "resume": the run goes on after its supervisor died. */
int hn_record_resume(struct hn_journal *journal, struct hn_error *error);
/* "isolation": the mode, and why it was chosen. */
int hn_record_isolation(struct hn_journal *journal, const char *mode, const char *why,
                        struct hn_error *error);
/* "preflight": as "target". */
int hn_record_preflight(struct hn_journal *journal, const char *members, struct hn_error *error);
/* "target": members as JSON text, ",...". */
int hn_record_target(struct hn_journal *journal, const char *members, struct hn_error *error);
/* "start" of an attempt. */
int hn_record_start(struct hn_journal *journal, const char *id, int attempt,
                    struct hn_error *error);

struct hn_end_record {
    const struct hn_task *task;
    int attempt;            /* 0: decided without running */
    enum hn_again again;    /* HN_FINAL, or why another attempt follows */
    const char *blocked_by; /* id, or NULL */
    const char *folder;     /* where its evidence is kept, relative to the run; NULL: removed */
    const struct hn_outcome *outcome;
    const struct hn_found *found;   /* NULL when decided without running */
    const struct hn_ending *ending; /* as `found` */
};
int hn_record_end(struct hn_journal *journal, const struct hn_end_record *end,
                  struct hn_error *error);

/* "finish": nothing follows. `complete` 0: stopped by the user, a deadline or a failure. */
int hn_record_finish(struct hn_journal *journal, int complete, const char *why,
                     const size_t *totals, struct hn_error *error);

#endif
