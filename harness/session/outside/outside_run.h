/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a run whose verdicts come from a Python program instead of the supervisor. Used by
 * assay watch and assay clients. Such a run has no plan; its checks are the checks that have a
 * verdict. Reports, diffs, the gate and the history read such a run like every other run.
 * `asked.kind` of the session is the name of the command and the selection of the run.
 */
#ifndef HN_OUTSIDE_RUN_H
#define HN_OUTSIDE_RUN_H

#include "session.h"

/* File in the run's folder: {"exit": N, "incomplete": "why", "checks": [end records]}. */
#define HN_OUTSIDE_FILE "checks.json"
#define HN_WATCHED_SELECT "watch"
#define HN_CLIENTS_SELECT "clients"        /* also the name of a module of listed checks */
#define HN_WATCHED_PROGRAM "watch.program" /* the check on how the watched program ended */

/* Makes the folder of the run as hn_session_make_folder does. A folder that the user named must be
 * empty. The only exception is `read`, the folder of an earlier run that is evaluated again; NULL:
 * there is none. */
int hn_outside_folder(struct hn_session *session, const char *read);

/* Returns HN_EINPUT if the folder of the session has a journal, whose results would be replaced. */
int hn_outside_expect_no_run(struct hn_session *session);

/* Sets the command line for the journal: kind, --target NAME, then the words, after "--" if they
 * are the command line of a program. Words beyond HN_COMMAND_WORDS are left out. */
int hn_outside_command(struct hn_session *session, int is_program, char *const *words,
                       size_t count);

/* Reads HN_OUTSIDE_FILE and writes the journal; the contract must be read before. *exit_status is
 * the member "exit" of the file. */
int hn_outside_run_write(struct hn_session *session, int *exit_status);

#endif
