/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sub-command whose work is the steps of a session (session.h). Called by the commands that load a target.
 */
#ifndef HN_SESSION_COMMAND_H
#define HN_SESSION_COMMAND_H

#include "command.h"
#include "session.h"

/* Begins a session, takes the steps, prints what is wrong and ends the session. `steps` returns HN_OK, and may
 * set *exit_status; or a code, with the reason in session->findings or in session->error, or none if a program
 * has printed it. The result is an exit status. */
int hn_session_command(const struct hn_asked *asked,
                       int (*steps)(struct hn_session *session, void *request, int *exit_status),
                       void *request);

#endif
