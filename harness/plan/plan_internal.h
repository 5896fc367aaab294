/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data shared by the steps of making a plan. Indices of checks are indices in the catalogue until
 * the last step, which turns them into indices of tasks. Only plan_*.c may include it.
 */
#ifndef HN_PLAN_INTERNAL_H
#define HN_PLAN_INTERNAL_H

#include "arena.h"
#include "plan_make.h"

struct hn_edges {
    size_t *items;
    size_t count;
};

/* A check while the plan is made. */
struct hn_draft {
    unsigned char selected, owned, needed, other_torch;
    unsigned char hurried;        /* it comes before all checks that are not hurried */
    struct hn_edges after;        /* checks that must come before it */
    struct hn_edges capabilities; /* capabilities that it needs */
    uint64_t priority;            /* a lower value comes earlier, if the edges allow it */
    uint32_t task;                /* its index in the plan, set when the plan is ordered */
};

struct hn_maker {
    const struct hn_plan_request *request;
    const struct hn_catalogue *catalogue;
    struct hn_error *error;
    struct hn_arena *arena; /* owned by the plan */
    struct hn_arena *scratch;
    struct hn_draft *drafts;            /* one per check */
    struct hn_capability *capabilities; /* one per capability of the contract */
    uint32_t *order;                    /* checks in the order of tasks */
    size_t order_count;
};

int hn_plan_edges(struct hn_maker *maker); /* fills in after, capabilities */
int hn_plan_order(struct hn_maker *maker); /* fills in order, task */
int hn_plan_stages(struct hn_maker *maker, struct hn_plan *plan);
int hn_plan_flatten(struct hn_maker *maker, struct hn_plan *plan);

#endif
