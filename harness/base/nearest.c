/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Edit distance. Called where a name that a person wrote is unknown. This file must not depend on
 * the rest of the harness.
 */
#include "nearest.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 63

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Computes the optimal string alignment with three rows of the table. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *now = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(replaced, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void hn_nearest_begin(struct hn_nearest *search, const char *name)
{
    const size_t length = strlen(name), tolerated = length < 6 ? 1 + (length > 3) : length / 3;
    *search = (struct hn_nearest){.name = name, .best_distance = tolerated + 1};
}

void hn_nearest_offer(struct hn_nearest *search, const char *candidate)
{
    const size_t length = strlen(search->name), other = strlen(candidate);
    if (length > LONGEST || other > LONGEST || length == 0)
        return;
    const size_t edits = distance(search->name, length, candidate, other);
    if (edits < search->best_distance) {
        search->best = candidate;
        search->best_distance = edits;
    }
}

void hn_nearest_offer_rows(struct hn_nearest *search, const void *rows, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        hn_nearest_offer(search, *(const char *const *)((const char *)rows + i * size));
}

const char *hn_nearest_hint(struct hn_nearest *search)
{
    if (!search->best)
        return "";
    snprintf(search->hint, sizeof search->hint, "; did you mean \"%s%s\"?",
             search->prefix ? search->prefix : "", search->best);
    return search->hint;
}
