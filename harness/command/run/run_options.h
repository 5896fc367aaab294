/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wishes of a user of `assay run`, from the words of the command line.
 */
#ifndef HN_RUN_OPTIONS_H
#define HN_RUN_OPTIONS_H

#include "command.h"
#include "session.h"

/* Fills shard and options. 0, or the exit status of a usage error that has been told. */
int hn_run_options_read(const struct hn_invocation *invocation, struct hn_asked *asked);
/* How many processes, how fast: what every command that runs checks takes, --jobs and --timeout-scale. */
int hn_run_options_pace(const struct hn_invocation *invocation, struct hn_run_options *options);

#endif
