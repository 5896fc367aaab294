/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators of a watched program as a run: what assay/watcher/__main__.py summed up (watch.json) becomes a
 * journal, a check for each operator and one for the program. So reports, diffs, the gate and the
 * history read it as any other. Called by assay watch.
 */
#ifndef HN_WATCHED_H
#define HN_WATCHED_H

#include "session.h"

#define HN_WATCHED_FILE "watch.json" /* in the folder of the run */
#define HN_WATCHED_PROGRAM "watch.program"
#define HN_WATCHED_SELECT "watch" /* what such a run says that it ran */

/* Writes the journal in session->folder; the contract must have been read. *exit_status is that of
 * the run: 1 when something was wrong, 2 when the program did not end well. */
int hn_watched_write(struct hn_session *session, int *exit_status);

#endif
