/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A sub-command that runs the steps of a session (session.h). Called by commands that load a
 * target.
 */
#ifndef HN_SESSION_COMMAND_H
#define HN_SESSION_COMMAND_H

#include "command.h"
#include "session.h"

/* Begins a session, calls `steps`, prints errors and ends the session. `steps` returns HN_OK and
 * may set *exit_status; or it returns a code and stores the reason in session->findings or
 * session->error, unless a program has printed the reason. Returns an exit status. */
int hn_session_command(const struct hn_asked *asked,
                       int (*steps)(struct hn_session *session, void *request, int *exit_status),
                       void *request);

#endif
