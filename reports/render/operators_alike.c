/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See operators_alike.h.
 */
#include "operators_alike.h"

#include <string.h>

static int is_told(const struct rp_aspect *aspect)
{
    return strcmp(aspect->verdict, "wrong") == 0 || strcmp(aspect->verdict, "noted") == 0 ||
           strcmp(aspect->verdict, "refused") == 0;
}

static int is_same(const struct rp_aspect *a, const struct rp_aspect *b)
{
    return strcmp(a->verdict, b->verdict) == 0 && strcmp(a->text, b->text) == 0;
}

size_t rp_operator_aspects_together(const struct rp_operator_cell *cell, size_t first,
                                    struct hn_buffer *names)
{
    if (!is_told(&cell->aspects[first]))
        return 0;
    for (size_t i = 0; i < first; i++)
        if (is_same(&cell->aspects[i], &cell->aspects[first]))
            return 0;
    size_t count = 0;
    for (size_t i = first; i < cell->aspect_count; i++)
        if (is_same(&cell->aspects[i], &cell->aspects[first]))
            hn_buffer_printf(names, "%s%s", count++ ? ", " : "", cell->aspects[i].name);
    return count;
}

typedef int (*alike)(const struct rp_operator_cell *cell, const void *first);

/* Lists the names of equal cells if this cell is the first of them; returns 0 for the other
 * cells. */
static size_t list_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                         alike is_alike, const void *first, size_t most, struct hn_buffer *names)
{
    size_t count = 0;
    for (size_t i = 0; i < matrix->operator_count; i++)
        for (size_t j = 0; j < matrix->dtypes.count; j++) {
            if (!is_alike(&matrix->operators[i].cells[j], first))
                continue;
            if (!count && (i != row || j != column))
                return 0;
            if (count++ < most)
                hn_buffer_printf(names, "%s%s %s", count > 1 ? ", " : "", matrix->operators[i].name,
                                 matrix->dtypes.items[j]);
        }
    if (count > most)
        hn_buffer_printf(names, " and %zu more", count - most);
    return count;
}

static int ended_alike(const struct rp_operator_cell *a, const void *first)
{
    const struct rp_operator_cell *b = first;
    return a->check && b->check && a->answer == RP_ENDED && b->answer == RP_ENDED &&
           strcmp(a->check->reason, b->check->reason) == 0;
}

size_t rp_operators_ended_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                                size_t most, struct hn_buffer *names)
{
    return list_alike(matrix, row, column, ended_alike, &matrix->operators[row].cells[column], most,
                      names);
}

/* Length of the text without the sample that showed the observation. */
static size_t kind_length(const char *text)
{
    const char *sample = strstr(text, ", of (");
    return sample ? (size_t)(sample - text) : strlen(text);
}

static int noted_alike(const struct rp_operator_cell *cell, const void *first)
{
    const struct rp_aspect *like = first;
    for (size_t i = 0; rp_answer_is_right(cell->answer) && i < cell->aspect_count; i++)
        if (is_told(&cell->aspects[i]) && strcmp(cell->aspects[i].name, like->name) == 0 &&
            kind_length(cell->aspects[i].text) == kind_length(like->text) &&
            strncmp(cell->aspects[i].text, like->text, kind_length(like->text)) == 0)
            return 1;
    return 0;
}

size_t rp_operators_noted_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                                size_t aspect, size_t most, struct hn_buffer *names)
{
    const struct rp_aspect *like = &matrix->operators[row].cells[column].aspects[aspect];
    if (!is_told(like) || !noted_alike(&matrix->operators[row].cells[column], like))
        return 0;
    return list_alike(matrix, row, column, noted_alike, like, most, names);
}

int rp_operator_has_told(const struct rp_operator_cell *cell)
{
    for (size_t i = 0; i < cell->aspect_count; i++)
        if (is_told(&cell->aspects[i]))
            return 1;
    return 0;
}
