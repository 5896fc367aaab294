/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Name lists: exact search, nearest search, comma-separated selections. Must not depend on faults
 * or variants.
 */
#include "names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fd_names_find(const struct fd_names *names, const char *name)
{
    const char *candidate;
    for (size_t i = 0; (candidate = names->name_at(i)) != NULL; i++)
        if (strcmp(candidate, name) == 0)
            return (int)i;
    return -1;
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    const size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Levenshtein distance with one row of memory. Both names are truncated to FD_NAME_SIZE. */
static size_t distance(const char *a, const char *b)
{
    const size_t a_length = strnlen(a, FD_NAME_SIZE), b_length = strnlen(b, FD_NAME_SIZE);
    size_t row[FD_NAME_SIZE + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const size_t above = row[j];
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

const char *fd_names_nearest(const struct fd_names *names, const char *name)
{
    const char *best = NULL, *candidate;
    size_t best_distance = 0;
    for (size_t i = 0; (candidate = names->name_at(i)) != NULL; i++) {
        const size_t d = distance(candidate, name);
        if (!best || d < best_distance) {
            best = candidate;
            best_distance = d;
        }
    }
    return best;
}

int fd_names_demand(const struct fd_names *names, const char *name)
{
    const int index = fd_names_find(names, name);
    if (index >= 0)
        return index;
    (void)fprintf(stderr, "fakedev: the code asks for %s \"%s\", which does not exist\n",
                  names->kind, name);
    abort();
}

int fd_names_choose(const struct fd_names *names, const char *list, void (*choose)(size_t index),
                    char *message, size_t message_size)
{
    while (*list) {
        const size_t length = strcspn(list, ",");
        char name[FD_NAME_SIZE];
        (void)snprintf(name, sizeof name, "%.*s",
                       (int)(length < FD_NAME_SIZE ? length : FD_NAME_SIZE), list);
        const int index = length < FD_NAME_SIZE ? fd_names_find(names, name) : -1;
        if (length > 0 && index < 0) {
            (void)snprintf(message, message_size, "unknown %s \"%s\"; the nearest is \"%s\"",
                           names->kind, name, fd_names_nearest(names, name));
            return -1;
        }
        if (length > 0)
            choose((size_t)index);
        list += length;
        list += *list == ',';
    }
    return 0;
}
