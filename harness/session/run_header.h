/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The head of a run's journal beyond what the supervisor itself knows: target, torch, contract,
 * host, command; and the command read back from it for --resume.
 */
#ifndef HN_RUN_HEADER_H
#define HN_RUN_HEADER_H

#include "buffer.h"
#include "interpreter.h"
#include "plan.h"
#include "profile.h"

struct hn_run_facts {
    const struct hn_plan *plan;
    const struct hn_profile *profile;
    const struct hn_torch_version *torch;
    const char *select; /* NULL: all */
    char *const *command;
    size_t command_count;
};

/* Members as JSON text that begins with a comma, for hn_run_options.header. */
int hn_run_header_write(const struct hn_run_facts *facts, struct hn_buffer *members,
                        struct hn_error *error);

#define HN_COMMAND_WORDS 64
/* The words of the command that began the run in `folder`; the texts are the caller's to free. */
int hn_run_header_command(const char *folder, char **words, size_t *count, struct hn_error *error);

#endif
