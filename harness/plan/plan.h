/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The plan of a run has the data that the runner needs before it starts: the ordered tasks, and the
 * capabilities that decide whether they run. The plan refers to the catalogue, and is read-only
 * after it is made. [any]
 */
#ifndef HN_PLAN_H
#define HN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "catalogue.h"
#include "hn_error.h"
#include "hn_task.h"
#include "json_write.h"

/* A stage of a backend, and every check of the contract that the stage needs, planned or not. */
struct hn_plan_stage {
    const struct hn_selection *stage;
    const struct hn_check **checks;
    size_t count;
};

struct hn_plan {
    int contract;                /* version of the contract */
    const char *digest;          /* hash of the contract's texts */
    const struct hn_task *tasks; /* ordered: each task comes after the tasks that it builds on */
    size_t count;
    const struct hn_capability *capabilities;
    size_t capability_count;
    const struct hn_requirement **requirements; /* the requirements that the tasks cover */
    size_t requirement_count;
    /* number of requirements in the whole contract, selected or not */
    size_t promised[HN_LEVELS];
    /* selected checks that do not apply to the target's torch */
    const struct hn_check **other_torch;
    size_t other_torch_count;
    const struct hn_plan_stage *stages; /* in the order of the contract */
    size_t stage_count;
    uint32_t shard, shards; /* 1 of 1 if there are no shards */
    uint64_t seed;          /* 0: the order of the contract */
};

void hn_plan_destroy(struct hn_plan *plan); /* NULL is a no-op */

#define HN_PLAN_FILE "plan.json" /* file name in the folder of a run */

/* ---- record ---- */

/* Writes the plan as an object of schema assay/plan/1, for plan.json of the run folder. The file
 * allows reading the run after the contract has changed. `arguments`: the words of the command,
 * which --resume repeats. */
void hn_plan_write(const struct hn_plan *plan, const struct hn_texts *arguments,
                   struct hn_json_writer *writer);

#endif
