/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fills in target, torch, contract, host and command in the header of a run's journal; the
 * supervisor fills in the rest. Also reads the command back for --resume.
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

/* Fills hn_run_options.header. The texts belong to `facts`, to the plan or to `arena`. */
int hn_run_header_make(const struct hn_run_facts *facts, struct hn_arena *arena,
                       struct hn_run_record *header, struct hn_error *error);

/* Returns HN_EINPUT if the run in `folder` was begun with a contract of another digest. */
int hn_run_header_has_contract(const char *folder, const char *digest, struct hn_error *error);

#define HN_COMMAND_WORDS 64
/* Reads the words of the command that started the run in `folder`; the caller frees the texts. */
int hn_run_header_command(const char *folder, char **words, size_t *count, struct hn_error *error);

#endif
