/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Options that several commands that run checks have, and the defaults of a run. Called by
 * cmd_run.c, cmd_ops.c, cmd_programs.c, cmd_repro.c, cmd_prove.c and cmd_clients.c.
 */
#ifndef HN_RUN_OPTIONS_H
#define HN_RUN_OPTIONS_H

#include "buffer.h"
#include "command.h"
#include "isolation.h"
#include "session.h"

#define HN_TARGET_HELP "the backend: a name in ci/targets or a profile (default " ASSAY_TARGET ")"
#define HN_JOBS_HELP "number of processes at the same time (default: one per processor)"

/* Rows for a command that calls assay run with other words; the run gets these options
 * unchanged. */
#define HN_OPTIONS_OF_A_RUN                                                                        \
    {"target", "TARGET", HN_TARGET_HELP},                                                          \
        {"resume", "DIR", "continue the run in DIR with its original options"},                    \
        {"isolation", HN_ISOLATION_WORDS, "default: the profile's, or else calibrated"},           \
        {"jobs", "N", HN_JOBS_HELP},                                                               \
        {"shard", "I/N", "run only the I-th of N parts; assay merge combines them"},               \
        {"arm", "NAME", "turn on a switch of an instrumented target"},                             \
    {                                                                                              \
        "timeout-scale", "X", "multiply every deadline by X"                                       \
    }

/* The default options of a run: one host per processor, no retries. */
struct hn_run_options hn_run_options_default(void);

/* How a name that the user gives becomes a pattern for the ids of checks. */
struct hn_naming {
    const char *before, *not_in_ids, *after; /* not_in_ids: characters that become '_' */
};
/* Adds the selection of the checks with these names, such as "mul,conv*". */
void hn_select_names(const char *names, const struct hn_naming *naming, struct hn_buffer *select);

/* Makes an invocation of assay run from the options of `asked` that assay run also has. */
void hn_run_invocation(const struct hn_invocation *asked, struct hn_invocation *run);
/* Reads I/N of --shard; NULL: not given. Returns an exit status. */
int hn_shard_read(const struct hn_command *command, const char *text, struct hn_asked *asked);
/* 1: a run with this exit status has a folder whose results can be shown. */
int hn_run_was_made(int exit_status);

#endif
