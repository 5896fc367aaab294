/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Outcomes of the tests of a library, as a run: a check for each test. assay.clients left verdicts in a file; they
 * become a journal. Called by assay clients.
 */
#ifndef HN_CLIENT_RUN_H
#define HN_CLIENT_RUN_H

#include "session.h"

#define HN_CLIENT_CHECKS "checks.json" /* in the folder of the run */
#define HN_CLIENT_SELECT "clients"     /* what such a run says that it ran */

/* Writes the journal in session->folder; the contract must have been read. */
int hn_client_run_write(struct hn_session *session, int *exit_status);

#endif
