/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See trouble_order.h.
 */
#include "trouble_order.h"

#include <stdlib.h>

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
