/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State that the readers of plan.json and journal.jsonl share while they build a run.
 */
#ifndef RP_MODEL_INTERNAL_H
#define RP_MODEL_INTERNAL_H

#include "arena.h"
#include "json_read.h"
#include "run_model.h"

#define RP_PLAN_LIMIT ((size_t)64 << 20)
#define RP_DEPTH 16
#define RP_CHECKS_MAX 200000

struct rp_builder {
    struct hn_arena *arena;
    struct hn_error *error;
    struct rp_run *run;
    struct rp_check *checks;
    size_t check_count;
    struct rp_requirement *requirements;
    struct rp_capability *capabilities;
    struct rp_stage *stages;
    const struct rp_check **by_id; /* sorted after the plan is read */
    size_t by_id_count;
    unsigned char *attempts; /* per check: number of starts */
};

/* Copies a text into the run. If out of memory, sets the error and returns NULL. */
const char *rp_copy(struct rp_builder *builder, const char *text);
/* Like rp_copy, but stores the copy in *kept and returns a status. */
int rp_keep(struct rp_builder *builder, const char *text, const char **kept);
/* Sets all checks of the run, once. The checks are allocated in the arena; members that are not
 * known yet are zero. */
int rp_take_checks(struct rp_builder *builder, struct rp_check *checks, size_t count);
/* Returns the check with this id from a list that is sorted by id, or NULL. */
const struct rp_check *rp_find_sorted(const struct rp_check *const *sorted, size_t count,
                                      const char *id);
struct rp_check *rp_find_check(struct rp_builder *builder, const char *id);
int rp_sort_checks(struct rp_builder *builder);

int rp_read_plan(struct rp_builder *builder, const char *path);
int rp_read_journal(struct rp_builder *builder, const char *path);
int rp_summarise(struct rp_builder *builder); /* computes modules, totals, requirements, blocks */
/* Computes the cause keys, and joins each failure to the first failure with the same cause,
 * across modules. */
int rp_find_causes(struct rp_builder *builder);
int rp_sum_capabilities(struct rp_builder *builder);
int rp_sum_stages(struct rp_builder *builder);
void rp_sum_silence(struct rp_builder *builder); /* called after the capabilities */

#endif
