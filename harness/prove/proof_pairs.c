/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See proof_pairs.h.
 */
#include "proof_pairs.h"

#include <string.h>

#include "assay/status.h"
#include "proof_refusals.h"
#include "verdict.h"

/* ---- capabilities: from the profile and the adapter, else from the verdicts on the clean device;
 * a backend that refuses a means has no claims */

static enum hn_verdict clean_verdict(const struct hn_proof *proof, const struct hn_check *check)
{
    return check ? (enum hn_verdict)proof->cases[0].verdicts[check - proof->catalogue->checks]
                 : HN_NOTRUN;
}

static enum hn_claim claimed(const struct hn_run_input *clean, const char *name)
{
    for (size_t i = 0; i < clean->capability_count; i++)
        if (strcmp(clean->capabilities[i].name, name) == 0)
            return clean->capabilities[i].claim;
    return HN_CLAIM_UNKNOWN;
}

static enum hn_claim answer(const struct hn_proof *proof, const struct hn_run_input *clean,
                            const struct hn_contract_capability *one)
{
    const enum hn_claim claim = claimed(clean, one->name);
    if (proof->options->refusals)
        return HN_CLAIM_UNKNOWN;
    if (claim != HN_CLAIM_UNKNOWN)
        return claim;
    if (hn_verdict_table[clean_verdict(proof, one->probe)].good)
        return HN_CLAIM_YES;
    return hn_verdict_table[clean_verdict(proof, one->refusal)].good ? HN_CLAIM_NO
                                                                     : HN_CLAIM_UNKNOWN;
}

static int make_capabilities(struct hn_proof *proof, const struct hn_run_input *clean,
                             struct hn_pairs *run)
{
    const struct hn_catalogue *catalogue = proof->catalogue;
    struct hn_capability *list =
        hn_arena_array(proof->arena, catalogue->capability_count + 1, sizeof *list);
    for (size_t i = 0; list && i < catalogue->capability_count; i++)
        list[i] = (struct hn_capability){.name = catalogue->capabilities[i].name,
                                         .claim = answer(proof, clean, &catalogue->capabilities[i]),
                                         .probe = HN_NONE,
                                         .refusal = HN_NONE};
    run->capabilities = list;
    run->capability_count = catalogue->capability_count;
    return list ? HN_OK : HN_ENOMEM;
}

/* ---- pairs */

/* After the fork, the adapter arms a fault without a setting, and an order refuses a means. */
static struct hn_task task_of(const struct hn_description *known, const struct hn_case *one)
{
    struct hn_task task = {.armed = one->name};
    if (one->kind == HN_CASE_FAULT)
        task.setting = hn_description_setting(known, one->name);
    else if (strcmp(one->name, HN_PROOF_LATE) != 0)
        task.orders.said[HN_ORDER_REFUSE] = one->name;
    else {
        task.orders.said[HN_ORDER_LATE_MEANS] = HN_PROOF_LATE_MS;
        task.extra_ms = HN_PROOF_LATE_EXTRA_MS;
    }
    return task;
}

static int is_pair(const struct hn_case *one)
{
    return one->kind == HN_CASE_FAULT || one->kind == HN_CASE_REFUSAL;
}

static size_t count_pairs(const struct hn_proof *proof)
{
    size_t count = proof->listed_count;
    for (size_t i = 0; i < proof->count; i++)
        for (size_t k = 0; is_pair(&proof->cases[i]) && k < proof->catalogue->check_count; k++)
            count += proof->cases[i].wanted[k];
    return count;
}

/* Adds the listed pairs. After a failure under a switch, its other pairs are not run. */
static void add_listed(struct hn_proof *proof, int at_load, struct hn_task *tasks, size_t *firsts,
                       struct hn_proof_pairs *pairs)
{
    for (size_t i = 0; i < proof->listed_count; i++) {
        const struct hn_listed *row = &proof->listed[i];
        struct hn_case *one = &proof->cases[row->one];
        const struct hn_check *check = &proof->catalogue->checks[row->check];
        if ((row->setting != NULL) != at_load)
            continue;
        if (clean_verdict(proof, check) == HN_SKIP) {
            one->verdicts[row->check] = HN_SKIP;
            continue;
        }
        if (!firsts[row->one])
            firsts[row->one] = pairs->run.count + 1;
        tasks[pairs->run.count++] = (struct hn_task){.check = check,
                                                     .armed = one->name,
                                                     .setting = row->setting,
                                                     .suffices = firsts[row->one]};
        pairs->wanted[row->check] = 1;
    }
}

static void add_pairs(struct hn_proof *proof, struct hn_case *one, struct hn_task task,
                      struct hn_task *tasks, struct hn_proof_pairs *pairs)
{
    for (size_t k = 0; k < proof->catalogue->check_count; k++) {
        const struct hn_check *check = &proof->catalogue->checks[k];
        if (!one->wanted[k])
            continue;
        if (clean_verdict(proof, check) == HN_SKIP) {
            one->verdicts[k] = HN_SKIP;
            continue;
        }
        task.check = check;
        tasks[pairs->run.count++] = task;
        pairs->wanted[k] = 1;
    }
}

int hn_proof_pairs_make(struct hn_proof *proof, const struct hn_session *clean, int at_load,
                        struct hn_proof_pairs *pairs, struct hn_error *error)
{
    struct hn_task *tasks = hn_arena_array(proof->arena, count_pairs(proof) + 1, sizeof *tasks);
    *pairs = (struct hn_proof_pairs){
        .run.tasks = tasks,
        .wanted = hn_arena_array(proof->arena, proof->catalogue->check_count + 1, 1)};
    size_t *firsts = hn_arena_array(proof->arena, proof->count + 1, sizeof *firsts);
    if (!tasks || !pairs->wanted || !firsts ||
        make_capabilities(proof, &clean->input, &pairs->run) != HN_OK)
        return hn_error_nomem(error);
    for (size_t i = 0; i < proof->count; i++) {
        struct hn_case *one = &proof->cases[i];
        const struct hn_task task = task_of(&clean->description, one);
        if (is_pair(one) && (task.setting != NULL) == at_load)
            add_pairs(proof, one, task, tasks, pairs);
    }
    add_listed(proof, at_load, tasks, firsts, pairs);
    return HN_OK;
}
