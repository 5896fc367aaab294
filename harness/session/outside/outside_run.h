/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The journal of a run whose verdicts were found outside the supervisor: by a watched program, by the tests of a
 * library. There is no plan; what was asked is what has a verdict. So reports, diffs, the gate and the history read
 * it as any other run. Called by watched.c and client_run.c.
 */
#ifndef HN_OUTSIDE_RUN_H
#define HN_OUTSIDE_RUN_H

#include "record.h"
#include "session.h"

struct hn_outside_run {
    const char *select;         /* what such a run says that it ran */
    struct hn_end_record *ends; /* one for each check, in order; attempt and final are filled in */
    size_t count;
    enum hn_level level;    /* of all of them */
    const char *incomplete; /* why; "": it is complete */
};

/* Writes the journal in session->folder; the contract must have been read. `totals` has room for HN_VERDICTS. */
int hn_outside_run_write(struct hn_session *session, const struct hn_outside_run *run,
                         size_t *totals);

/* Makes the folder of the run as hn_session_make_folder does. One that the user named must be empty, unless it is
 * `read`: the folder of an earlier run that is summed up again; else NULL. */
int hn_outside_folder(struct hn_session *session, const char *read);

/* The command as the user said it, for the journal: kind, --target NAME, then the words, behind "--" where they are a
 * program's own. What is beyond HN_COMMAND_WORDS is left out. */
int hn_outside_command(struct hn_session *session, const char *kind, int is_program,
                       char *const *words, size_t count);

/* "watch.aten.addmm.default" of ("watch", "aten.addmm.default"): names of checks have no capital letters. NULL: out
 * of memory. */
const char *hn_outside_id(struct hn_arena *arena, const char *prefix, const char *name);

#endif
