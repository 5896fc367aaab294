/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of assay run that stand for a selection: --changed, --last-failed, -k. The run then
 * stores --select instead, so that --resume needs neither a repository nor the other run.
 */
#ifndef HN_CHOSEN_CHECKS_H
#define HN_CHOSEN_CHECKS_H

#include "buffer.h"
#include "command.h"

int hn_chooses_checks(const struct hn_invocation *invocation);
/* Writes the selection to `expression`. If there is nothing to run, the selection is "" and a
 * message is on stderr. *unknown is 1 if a changed file is unknown and its checks may be missing;
 * the run is then undecided at best. Returns 0, or an exit status after a message on stderr. */
int hn_chosen_checks(const struct hn_invocation *invocation, struct hn_buffer *expression,
                     int *unknown);

#endif
