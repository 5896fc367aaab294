/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See trouble_order.h.
 */
#include "trouble_order.h"

#include <stdlib.h>

#include "run_model.h"

int rp_is_trouble(enum hn_verdict verdict)
{
    return verdict == HN_SLOW || hn_verdict_table[verdict].rank < hn_verdict_table[HN_NOTRUN].rank;
}

static int compare(const void *a, const void *b)
{
    const struct rp_trouble *first = a, *second = b;
    const int rank = hn_verdict_table[first->verdict].rank - hn_verdict_table[second->verdict].rank;
    if (first->blocks != second->blocks)
        return first->blocks > second->blocks ? -1 : 1;
    if (first->level != second->level)
        return first->level < second->level ? -1 : 1;
    if (rank)
        return rank;
    return first->index < second->index ? -1 : 1;
}

void rp_sort_troubles(struct rp_trouble *troubles, size_t count, size_t *indices)
{
    if (count)
        qsort(troubles, count, sizeof *troubles, compare);
    for (size_t i = 0; i < count; i++)
        indices[i] = troubles[i].index;
}

size_t rp_run_troubles(const struct rp_run *run, size_t *indices)
{
    struct rp_trouble *troubles = calloc(run->check_count + 1, sizeof *troubles);
    size_t count = 0;
    for (size_t i = 0; troubles && i < run->check_count; i++)
        if (rp_is_trouble(run->checks[i].verdict))
            troubles[count++] = (struct rp_trouble){run->checks[i].blocks, run->checks[i].level,
                                                    run->checks[i].verdict, i};
    rp_sort_troubles(troubles, count, indices);
    free(troubles);
    return count;
}
