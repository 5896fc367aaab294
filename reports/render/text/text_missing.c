/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See text_missing.h. The count of an operator includes the checks that name the operator, and
 * the checks that these checks block. The largest count comes first.
 */
#include "text_missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terminal.h"

struct row {
    const char *name;
    size_t checks;
    const struct rp_capability *capability; /* NULL: the row is an operator */
};

struct rows {
    struct row *items;
    size_t count;
};

static struct row *row_of(struct rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->items[i].name, name) == 0)
            return &rows->items[i];
    rows->items[rows->count] = (struct row){.name = name};
    return &rows->items[rows->count++];
}

static void add_operators(struct rows *rows, const struct rp_run *run)
{
    for (size_t i = 0; i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[i];
        if (check->verdict == HN_BLOCKED && check->about[0])
            row_of(rows, check->about)->checks += 1 + check->blocks;
    }
}

static size_t count_skipped(const struct rp_run *run, const char *capability)
{
    size_t count = 0;
    for (size_t i = 0; i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[i];
        for (size_t k = 0; check->verdict == HN_SKIP && k < check->capabilities.count; k++)
            count += strcmp(check->capabilities.items[k], capability) == 0;
    }
    return count;
}

static void add_capabilities(struct rows *rows, const struct rp_run *run)
{
    for (size_t i = 0; i < run->capability_count; i++) {
        const struct rp_capability *capability = &run->capabilities[i];
        const size_t skipped = count_skipped(run, capability->name);
        if (skipped > 0 &&
            (capability->standing == RP_ABSENT || capability->standing == RP_LACKING))
            rows->items[rows->count++] = (struct row){capability->name, skipped, capability};
    }
}

/* Sorts by the number of checks that a row enables, largest first. */
static int compare(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->checks != b->checks)
        return a->checks < b->checks ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void print_row(struct hn_buffer *out, const struct row *row)
{
    const struct rp_check *refusal = row->capability ? row->capability->refusal : NULL;
    hn_terminal_put(out, "     ", row->name, "");
    const size_t length = strlen(row->name);
    hn_buffer_printf(out, "%*s", (int)(length < 36 ? 36 - length : 1), "");
    hn_buffer_printf(out, "%zu check%s %s", row->checks, row->checks == 1 ? "" : "s",
                     row->capability ? "skipped" : "blocked");
    if (refusal && row->capability->standing == RP_ABSENT)
        hn_terminal_put(out, ", shown by ", refusal->id, "");
    hn_buffer_putc(out, '\n');
}

static void print_rows(struct hn_buffer *out, const char *title, struct rows *rows)
{
    if (rows->count == 0)
        return;
    qsort(rows->items, rows->count, sizeof *rows->items, compare);
    hn_buffer_printf(out, "\n%s\n", title);
    for (size_t i = 0; i < rows->count; i++)
        print_row(out, &rows->items[i]);
    rows->count = 0;
}

int rp_print_missing(struct hn_buffer *out, const struct rp_run *run)
{
    struct rows rows = {
        .items = calloc(run->check_count + run->capability_count + 1, sizeof *rows.items)};
    if (!rows.items)
        return HN_ENOMEM;
    add_operators(&rows, run);
    print_rows(out, "OPERATORS that are missing: what a kernel for each would unblock", &rows);
    add_capabilities(&rows, run);
    print_rows(out, "CAPABILITIES that are missing", &rows);
    free(rows.items);
    return HN_OK;
}
