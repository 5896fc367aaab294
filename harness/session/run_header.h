/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The head of a run's journal beyond what the supervisor itself knows: target, torch, contract,
 * host, command; and the command read back from it for --resume.
 */
#ifndef HN_RUN_HEADER_H
#define HN_RUN_HEADER_H

#include "arena.h"
#include "interpreter.h"
#include "plan.h"
#include "profile.h"
#include "record.h"

struct hn_run_facts {
    const struct hn_plan *plan;
    const struct hn_profile *profile;
    const struct hn_torch_version *torch;
    const char *select; /* NULL: all */
    char *const *command;
    size_t command_count;
};

/* For hn_run_options.header; its texts are those of `facts`, but for the plan's, or in `arena`. */
int hn_run_header_make(const struct hn_run_facts *facts, struct hn_arena *arena,
                       struct hn_run_record *header, struct hn_error *error);

#define HN_COMMAND_WORDS 64
/* The words of the command that began the run in `folder`; the texts are the caller's to free. */
int hn_run_header_command(const char *folder, char **words, size_t *count, struct hn_error *error);

#endif
