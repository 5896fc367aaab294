/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of the rows of a set for readers: causes first, each followed by the rows it blocks.
 */
#include <stdlib.h>

#include "run_set.h"
#include "trouble_order.h"

size_t rp_set_troubles(const struct rp_set *set, size_t *indices)
{
    struct rp_trouble *troubles = calloc(set->check_count + 1, sizeof *troubles);
    size_t count = 0;
    for (size_t i = 0; troubles && i < set->check_count; i++)
        if (rp_is_trouble(set->checks[i].worst))
            troubles[count++] = (struct rp_trouble){
                set->checks[i].blocks, set->checks[i].any->level, set->checks[i].worst, i};
    rp_sort_troubles(troubles, count, indices);
    free(troubles);
    return count;
}

/* Returns the row of each check of each run. The rows of a run begin at its entry in `offsets`. */
static size_t *rows_of_checks(const struct rp_set *set, size_t *offsets)
{
    size_t total = 0;
    for (size_t run = 0; run < set->run_count; run++) {
        offsets[run] = total;
        total += set->runs[run]->check_count;
    }
    size_t *rows = calloc(total + 1, sizeof *rows);
    for (size_t row = 0; rows && row < set->check_count; row++)
        for (size_t run = 0; run < set->run_count; run++)
            if (set->checks[row].in[run])
                rows[offsets[run] + (size_t)(set->checks[row].in[run] - set->runs[run]->checks)] =
                    row;
    return rows;
}

/* For each row, finds the row that blocks this row. If the row is blocked in several runs, the
 * first of these runs counts. SIZE_MAX: the row is blocked in no run. */
static int find_causes(const struct rp_set *set, size_t *causes)
{
    size_t *offsets = calloc(set->run_count, sizeof *offsets);
    size_t *rows = offsets ? rows_of_checks(set, offsets) : NULL;
    for (size_t row = 0; rows && row < set->check_count; row++) {
        causes[row] = SIZE_MAX;
        for (size_t run = 0; run < set->run_count && causes[row] == SIZE_MAX; run++) {
            const struct rp_check *check = set->checks[row].in[run];
            if (check && check->root)
                causes[row] = rows[offsets[run] + (size_t)(check->root - set->runs[run]->checks)];
        }
    }
    const int status = rows ? HN_OK : HN_ENOMEM;
    free(rows);
    free(offsets);
    return status;
}

struct ordering {
    const struct rp_set *set;
    const size_t *causes; /* one per row */
    size_t *first, *next; /* lists of the rows that a row blocks: `first` by cause, `next` by row */
    unsigned char *placed;
    struct rp_place *places;
    size_t count;
};

static void place(struct ordering *ordering, size_t row, int under)
{
    if (ordering->placed[row])
        return;
    ordering->placed[row] = 1;
    ordering->places[ordering->count++] = (struct rp_place){row, under};
}

static void place_all(struct ordering *ordering, const size_t *troubles, size_t trouble_count)
{
    const size_t rows = ordering->set->check_count;
    for (size_t i = rows; i-- > 0;) {
        const size_t cause = ordering->causes[i];
        if (cause == SIZE_MAX)
            continue;
        ordering->next[i] = ordering->first[cause];
        ordering->first[cause] = i + 1; /* 0 terminates a list */
    }
    /* A row that fails in one run and is blocked in another is listed as a failure. */
    for (size_t i = 0; i < trouble_count; i++)
        ordering->placed[troubles[i]] = 2;
    for (size_t i = 0; i < trouble_count; i++) {
        ordering->placed[troubles[i]] = 0;
        place(ordering, troubles[i], 0);
        for (size_t at = ordering->first[troubles[i]]; at; at = ordering->next[at - 1])
            place(ordering, at - 1, 1);
    }
    for (size_t i = 0; i < rows; i++)
        place(ordering, i, 0);
}

int rp_set_order(const struct rp_set *set, struct rp_place *places)
{
    const size_t count = set->check_count + 1;
    size_t *work = calloc(count * 4, sizeof *work);
    struct ordering ordering = {.set = set,
                                .causes = work,
                                .first = work + count,
                                .next = work + count * 2,
                                .placed = calloc(count, 1),
                                .places = places};
    const int status = work && ordering.placed ? find_causes(set, work) : HN_ENOMEM;
    if (!status) {
        size_t *troubles = work + count * 3;
        place_all(&ordering, troubles, rp_set_troubles(set, troubles));
    }
    free(ordering.placed);
    free(work);
    return status;
}
