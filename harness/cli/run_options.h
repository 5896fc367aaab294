/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The wishes of a user of `assay run`, from the words of the command line.
 */
#ifndef HN_RUN_OPTIONS_H
#define HN_RUN_OPTIONS_H

#include "command.h"
#include "task.h"

/* Each returns 0, or the exit status of a usage error that has been told. */
int hn_run_options_read(const struct hn_invocation *asked, struct hn_run_options *wishes);
/* 0 and 0: no shard was asked for. */
int hn_run_shard_read(const struct hn_invocation *invocation, uint32_t *index, uint32_t *of);

#endif
