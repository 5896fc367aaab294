/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of findings. Called by the readers of YAML files. This file depends only on hn_error.h.
 */
#include "findings.h"

#include <stdlib.h>
#include <string.h>

void hn_findings_init(struct hn_findings *findings)
{
    *findings = (struct hn_findings){0};
}

void hn_findings_finish(struct hn_findings *findings)
{
    free(findings->items);
    hn_findings_init(findings);
}

int hn_findings_add_error(struct hn_findings *findings, const struct hn_error *error)
{
    findings->total++;
    if (findings->count == HN_FINDINGS_LIMIT)
        return HN_EINPUT;
    /* The capacity doubles at each power of two. */
    if ((findings->count & (findings->count - 1)) == 0) {
        const size_t capacity = findings->count ? findings->count * 2 : 1;
        struct hn_error *items = realloc(findings->items, capacity * sizeof *items);
        if (!items)
            return HN_ENOMEM;
        findings->items = items;
    }
    findings->items[findings->count++] = *error;
    return HN_EINPUT;
}

int hn_findings_add(struct hn_findings *findings, const char *file, int line, int column,
                    const char *format, ...)
{
    struct hn_error error;
    va_list arguments;
    va_start(arguments, format);
    hn_error_vat(&error, HN_EINPUT, file, line, column, format, arguments);
    va_end(arguments);
    return hn_findings_add_error(findings, &error);
}

static int compare_places(const struct hn_error *a, const struct hn_error *b)
{
    const int files = strcmp(a->file, b->file);
    if (files)
        return files;
    return a->line != b->line ? a->line - b->line : a->column - b->column;
}

/* Insertion sort: stable, and the list is short. */
void hn_findings_sort(struct hn_findings *findings)
{
    for (size_t i = 1; i < findings->count; i++) {
        const struct hn_error moving = findings->items[i];
        size_t hole = i;
        while (hole > 0 && compare_places(&findings->items[hole - 1], &moving) > 0) {
            findings->items[hole] = findings->items[hole - 1];
            hole--;
        }
        findings->items[hole] = moving;
    }
}
