/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See session_command.h.
 */
#include "session_command.h"

int hn_session_command(const struct hn_asked *asked,
                       int (*steps)(struct hn_session *session, void *request, int *exit_status),
                       void *request)
{
    struct hn_session session;
    int exit_status = HN_EXIT_OK;
    int status = hn_session_begin(&session, asked);
    if (status == HN_OK)
        status = steps(&session, request, &exit_status);
    if (status != HN_OK && !session.findings.total && *session.error.text)
        hn_findings_add_error(&session.findings, &session.error);
    if (status != HN_OK)
        exit_status = session.findings.total ? hn_print_findings(&session.findings)
                                             : hn_error_exit_status(status);
    hn_session_finish(&session);
    return exit_status;
}
