/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See changed_select.h.
 */
#include "changed_select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anchor.h"
#include "read_contract.h"

/* Marks the checks that are anchored in the file; how many were not marked before. */
static size_t mark(const struct hn_catalogue *catalogue, const char *file, unsigned char *marked,
                   int *known)
{
    size_t more = 0;

    *known = 0;
    for (size_t i = 0; i < catalogue->check_count; i++)
        for (size_t j = 0; j < catalogue->checks[i].covers_count; j++)
            if (hn_anchor_names(catalogue->checks[i].covers[j]->anchor, file)) {
                *known = 1;
                more += !marked[i];
                marked[i] = 1;
            }
    return more;
}

static size_t add_files(const struct hn_catalogue *catalogue, char *files, unsigned char *marked,
                        struct hn_buffer *expression)
{
    size_t count = 0;
    char *file;
    int known;

    while ((file = strsep(&files, ","))) {
        count += mark(catalogue, file, marked, &known);
        if (known)
            hn_buffer_printf(expression, "%sfile:%s", expression->length ? "," : "", file);
        else if (*file)
            fprintf(stderr, "no check is anchored in %s\n", file);
    }
    return count;
}

int hn_changed_select(const char *files, struct hn_buffer *expression)
{
    struct hn_catalogue *catalogue;
    int status = hn_read_contract(&catalogue);

    if (status)
        return status;
    char *words = strdup(files);
    unsigned char *marked = calloc(catalogue->check_count + 1, 1);
    if (words && marked) {
        const size_t count = add_files(catalogue, words, marked, expression);
        fprintf(stderr, "%zu checks are about what changed; %zu are left for later\n", count,
                catalogue->check_count - count);
    }
    status = words && marked && expression->status == HN_OK ? 0 : HN_EXIT_SYSTEM;
    if (status)
        fputs("assay: out of memory\n", stderr);
    free(words);
    free(marked);
    hn_catalogue_destroy(catalogue);
    return status;
}
