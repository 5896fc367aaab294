/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of assay run that stand for a selection: --changed, --last-failed, -k. From here on
 * the run is one with --select, so that --resume asks neither a repository nor another run again.
 */
#ifndef HN_CHOSEN_CHECKS_H
#define HN_CHOSEN_CHECKS_H

#include "buffer.h"
#include "command.h"

int hn_chooses_checks(const struct hn_invocation *invocation);
/* `expression` becomes the selection, "" when there is nothing to run, which is said on stderr.
 * *unknown: of some file nobody knows whether a check is about it, so that a good end is none.
 * Returns 0 or an exit status, with the reason on stderr. */
int hn_chosen_checks(const struct hn_invocation *invocation, struct hn_buffer *expression,
                     int *unknown);

#endif
