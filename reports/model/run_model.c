/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a run: plan, journal, sums. Called by every report, diff, merge and the gate.
 */
#include "run_model.h"

#include "file.h"
#include "model_internal.h"

#define MEMORY ((size_t)1 << 30)

struct owner {
    struct rp_run run; /* must be the first member, because the pointer to it is cast back */
    struct hn_arena *arena;
};

static int read_parts(struct rp_builder *builder, const char *folder)
{
    char plan[HN_PATH_SIZE], journal[HN_PATH_SIZE];
    int status = hn_path_join(plan, sizeof plan, folder, "plan.json", builder->error);
    if (!status)
        status = hn_path_join(journal, sizeof journal, folder, "journal.jsonl", builder->error);
    if (!status && hn_path_exists(plan))
        status = rp_read_plan(builder, plan);
    if (!status)
        status = rp_read_journal(builder, journal);
    return status ? status : rp_summarise(builder);
}

static void clear_texts(struct rp_run *run)
{
    const char **const texts[] = {
        &run->target,  &run->torch_version, &run->torch_git,     &run->digest,  &run->date,
        &run->seed,    &run->command,       &run->host,          &run->why,     &run->loss,
        &run->profile, &run->isolation,     &run->isolation_why, &run->machine, &run->select};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = "";
}

int rp_run_read(const char *folder, struct rp_run **run, struct hn_error *error)
{
    struct rp_builder builder = {.error = error};
    struct owner *owner = hn_arena_owner(sizeof *owner, MEMORY, &builder.arena);
    *run = NULL;
    if (!owner)
        return hn_error_nomem(error);
    owner->arena = builder.arena;
    owner->run = (struct rp_run){.shard = 1, .shards = 1};
    clear_texts(&owner->run);
    builder.run = &owner->run;
    owner->run.folder = rp_copy(&builder, folder);
    const int status = owner->run.folder ? read_parts(&builder, folder) : HN_ENOMEM;
    if (status) {
        rp_run_destroy(&owner->run);
        return status;
    }
    *run = &owner->run;
    return HN_OK;
}

void rp_run_destroy(struct rp_run *run)
{
    struct owner *owner = (struct owner *)run;
    hn_arena_destroy(owner ? owner->arena : NULL);
}
