/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds things of the contract by their names, during linking and afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "catalogue_internal.h"

/* Searches items of `size` bytes that begin with their name; NULL if none has it. */
static const void *find_row(const void *rows, size_t count, size_t size, const char *name)
{
    const char *row = rows;
    for (size_t i = 0; i < count; i++, row += size)
        if (strcmp(*(const char *const *)row, name) == 0)
            return row;
    return NULL;
}

/* Compares two pointers to items by name. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

const void **hn_sort_rows(struct hn_arena *arena, const void *rows, size_t count, size_t size)
{
    const void **sorted = hn_arena_array(arena, count + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = (const char *)rows + i * size;
    if (sorted)
        qsort(sorted, count, sizeof *sorted, compare_names);
    return sorted;
}

static const void *find_sorted(const void *const *sorted, size_t count, const char *name)
{
    const char *const *key = &name;
    const void *const *found = bsearch(&key, sorted, count, sizeof *sorted, compare_names);
    return found ? *found : NULL;
}

const struct hn_module *hn_catalogue_module(const struct hn_catalogue *catalogue, const char *name)
{
    return find_row(catalogue->modules, catalogue->module_count, sizeof *catalogue->modules, name);
}

const struct hn_requirement *hn_catalogue_requirement(const struct hn_catalogue *catalogue,
                                                      const char *id)
{
    return find_sorted(catalogue->requirements_by_id, catalogue->requirement_count, id);
}

const struct hn_check *hn_catalogue_check(const struct hn_catalogue *catalogue, const char *id)
{
    return find_sorted(catalogue->checks_by_id, catalogue->check_count, id);
}

const struct hn_contract_capability *hn_catalogue_capability(const struct hn_catalogue *catalogue,
                                                             const char *name)
{
    return find_row(catalogue->capabilities, catalogue->capability_count,
                    sizeof *catalogue->capabilities, name);
}

const struct hn_fault *hn_catalogue_fault(const struct hn_catalogue *catalogue, const char *name)
{
    return find_row(catalogue->faults, catalogue->fault_count, sizeof *catalogue->faults, name);
}

struct hn_texts hn_join_texts(struct hn_arena *arena, const struct hn_check *check, size_t member)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < check->covers_count; i++)
        most += ((const struct hn_texts *)((const char *)check->covers[i] + member))->count;
    const char **names = hn_arena_array(arena, most + 1, sizeof *names);
    for (size_t i = 0; names && i < check->covers_count; i++) {
        const struct hn_texts *texts = (const void *)((const char *)check->covers[i] + member);
        for (size_t j = 0; j < texts->count; j++)
            if (!hn_texts_contain(&(struct hn_texts){names, count}, texts->items[j]))
                names[count++] = texts->items[j];
    }
    return (struct hn_texts){names, count};
}

int hn_check_covers(const struct hn_check *check, const struct hn_requirement *requirement)
{
    for (size_t i = 0; i < check->covers_count; i++)
        if (check->covers[i] == requirement)
            return 1;
    return 0;
}

int hn_check_is_anchored(const struct hn_check *check, const char *file)
{
    for (size_t i = 0; i < check->covers_count; i++)
        if (hn_anchor_names(check->covers[i]->anchor, file))
            return 1;
    return 0;
}
