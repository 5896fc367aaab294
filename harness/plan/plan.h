/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plan of a run, all that the runner needs before it starts: ordered tasks, and the
 * capabilities that decide about them. Points into the catalogue. Read-only
 * once made. [any]
 */
#ifndef HN_PLAN_H
#define HN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "catalogue.h"
#include "hn_error.h"
#include "hn_task.h"
#include "json_write.h"

/* A stage of a backend, and every check of the contract that it needs, planned or not. */
struct hn_plan_stage {
    const struct hn_selection *stage;
    const struct hn_check **checks;
    size_t count;
};

struct hn_plan {
    int contract;                /* version */
    const char *digest;          /* of the contract's words */
    const struct hn_task *tasks; /* what a task builds on comes before it */
    size_t count;
    const struct hn_capability *capabilities;
    size_t capability_count;
    const struct hn_requirement **requirements; /* those that the tasks cover */
    size_t requirement_count;
    size_t promised[HN_LEVELS]; /* requirements of the whole contract, whatever was selected */
    const struct hn_check **other_torch; /* selected, but not of what the target's torch promises */
    size_t other_torch_count;
    const struct hn_plan_stage *stages; /* in the order of the contract */
    size_t stage_count;
    uint32_t shard, shards; /* 1 of 1 when not sharded */
    uint64_t seed;          /* 0: stable order */
};

void hn_plan_destroy(struct hn_plan *plan); /* takes NULL */

#define HN_PLAN_FILE "plan.json" /* in the folder of a run */

/* ---- record ---- */

/* The plan as an object, schema assay/plan/1, of the run folder's plan.json: with it a run can be read
 * long after the contract has changed. `arguments`: the words of the command, which --resume says
 * again. */
void hn_plan_write(const struct hn_plan *plan, const struct hn_texts *arguments,
                   struct hn_json_writer *writer);

#endif
