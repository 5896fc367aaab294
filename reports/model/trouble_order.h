/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of failures, of one run and of several: causes first. Called by summary.c and
 * set_order.c.
 */
#ifndef RP_TROUBLE_ORDER_H
#define RP_TROUBLE_ORDER_H

#include <stddef.h>

#include "level.h"
#include "verdict.h"

struct rp_trouble {
    size_t blocks;
    enum hn_level level;
    enum hn_verdict verdict;
    size_t index;
};

/* 1 for bad verdicts except "not run". */
int rp_is_trouble(enum hn_verdict verdict);
/* Sorts by number of blocked checks, then by level, by rank, and by place in the plan. `indices`
 * has room for all checks. */
void rp_sort_troubles(struct rp_trouble *troubles, size_t count, size_t *indices);

#endif
