/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several runs on a terminal, side by side: modules, levels, capabilities and requirements as
 * rows, runs as numbered columns, then the failures of all, causes first. The entry function of
 * the text format is in this file; the function passes a single run on to render_text.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"
#include "render_text.h"
#include "run_set.h"
#include "terminal.h"

#define NAME_WIDTH 26
#define STANDING_WIDTH 30
#define TROUBLES_MAX 200

struct page {
    struct hn_buffer *out;
    const struct rp_set *set;
    int colour;
    int width; /* width of the column of a run */
};

/* Writes untrusted text, cut or padded to a width in bytes: only forged names are not ASCII. */
static void put_name(struct page *page, const char *text, int width)
{
    const size_t before = page->out->length;
    char name[80];
    snprintf(name, sizeof name, "%.*s", width - 1, text);
    hn_terminal_puts(page->out, name);
    const size_t used = page->out->length - before;
    hn_buffer_printf(page->out, "%*s", used < (size_t)width ? (int)((size_t)width - used) : 1, "");
}

static void put_cell(struct page *page, enum hn_verdict verdict, const char *text)
{
    hn_buffer_printf(page->out, "%s%-*s%s", hn_colour(page->colour, verdict), page->width, text,
                     hn_colour_end(page->colour));
}

/* ---- header ---- */

static void print_runs(struct page *page)
{
    for (size_t i = 0; i < page->set->run_count; i++) {
        const struct rp_run *run = page->set->runs[i];
        hn_buffer_printf(page->out, "%3zu  ", i + 1);
        hn_terminal_put(page->out, "", page->set->labels[i], "  torch ");
        hn_terminal_puts(page->out, run->torch_version);
        hn_buffer_printf(page->out, "  contract %d  ", run->contract);
        hn_terminal_puts(page->out, run->date);
        if (!run->complete)
            hn_terminal_put(page->out, "  not complete ", run->why, "");
        hn_buffer_putc(page->out, '\n');
    }
}

static void print_heads(struct page *page, const char *title)
{
    hn_buffer_printf(page->out, "\n%-*s", NAME_WIDTH, title);
    for (size_t i = 0; i < page->set->run_count; i++)
        hn_buffer_printf(page->out, "%-*zu", page->width, i + 1);
    hn_buffer_putc(page->out, '\n');
}

/* ---- matrices ---- */

/* The stage that each backend reached, for runs that tested the stages. */
static void print_stages(struct page *page)
{
    size_t asked = 0;
    for (size_t run = 0; run < page->set->run_count; run++)
        asked += rp_run_stage(page->set->runs[run]) != NULL;
    if (!asked)
        return;
    print_heads(page, "stage");
    put_name(page, "reached", NAME_WIDTH);
    for (size_t run = 0; run < page->set->run_count; run++) {
        const char *stage = rp_run_stage(page->set->runs[run]);
        char text[64];
        snprintf(text, sizeof text, "%.15s", stage ? stage : "not asked");
        put_name(page, text, page->width);
    }
    hn_buffer_putc(page->out, '\n');
}

/* "31/40 fail", or "none". */
static void print_share(struct page *page, const struct rp_share *share)
{
    char text[64];
    snprintf(text, sizeof text, "%zu/%zu %s", share->kept, share->total,
             hn_verdict_table[share->worst].name);
    put_cell(page, share->total ? share->worst : HN_SKIP, share->total ? text : "none");
}

static void print_modules(struct page *page)
{
    print_heads(page, "module");
    for (size_t i = 0; i < page->set->module_count; i++) {
        put_name(page, page->set->modules[i].name, NAME_WIDTH);
        for (size_t run = 0; run < page->set->run_count; run++)
            print_share(page, &page->set->modules[i].in[run]);
        hn_buffer_putc(page->out, '\n');
    }
    print_heads(page, "requirements");
    for (int level = 0; level < HN_ADVISORY; level++) {
        put_name(page, hn_level_names[level], NAME_WIDTH);
        for (size_t run = 0; run < page->set->run_count; run++) {
            const struct rp_share share =
                rp_level_share(page->set->runs[run], (enum hn_level)level);
            print_share(page, &share);
        }
        hn_buffer_putc(page->out, '\n');
    }
}

static int is_worth_a_line(const struct rp_set *set, const struct rp_set_capability *row)
{
    for (size_t run = 0; run < set->run_count; run++)
        if (row->in[run] && row->in[run]->standing != RP_UNSHOWN &&
            row->in[run]->standing != RP_PROVEN)
            return 1;
    return 0;
}

static enum hn_verdict colour_of_standing(enum rp_standing standing)
{
    static const enum hn_verdict verdicts[RP_STANDINGS] = {[RP_UNSHOWN] = HN_SKIP,
                                                           [RP_PROVEN] = HN_PASS,
                                                           [RP_ABSENT] = HN_SKIP,
                                                           [RP_LACKING] = HN_BLOCKED,
                                                           [RP_BROKEN] = HN_FAIL};
    return verdicts[standing];
}

/* "broken (yes/pass)": state, claim, verdict of the probe. */
static void print_standing(struct page *page, const struct rp_capability *capability)
{
    char text[80];
    if (!capability) {
        put_cell(page, HN_SKIP, "none");
        return;
    }
    snprintf(text, sizeof text, "%s (%s/%s)", rp_standing_names[capability->standing],
             hn_claim_names[capability->claim],
             capability->probe ? hn_verdict_table[capability->probe->verdict].name : "-");
    put_cell(page, colour_of_standing(capability->standing), text);
}

/* Capabilities that are proven in all runs are left out. */
static void print_capabilities(struct page *page)
{
    const int width = page->width;
    int any = 0;
    page->width = STANDING_WIDTH;

    for (size_t i = 0; i < page->set->capability_count; i++) {
        const struct rp_set_capability *row = &page->set->capabilities[i];
        if (!is_worth_a_line(page->set, row))
            continue;
        if (!any++)
            print_heads(page, "capability (claim/probe)");
        put_name(page, row->any->name, NAME_WIDTH);
        for (size_t run = 0; run < page->set->run_count; run++)
            print_standing(page, row->in[run]);
        hn_buffer_putc(page->out, '\n');
    }
    page->width = width;
}

static int is_kept_everywhere(const struct rp_set *set, const struct rp_set_requirement *row)
{
    for (size_t run = 0; run < set->run_count; run++)
        if (row->in[run] && !rp_is_kept(row->in[run]->verdict))
            return 0;
    return 1;
}

static void print_requirements(struct page *page)
{
    int any = 0;
    for (size_t i = 0; i < page->set->requirement_count; i++) {
        const struct rp_set_requirement *row = &page->set->requirements[i];
        char name[64];
        if (is_kept_everywhere(page->set, row))
            continue;
        if (!any++)
            print_heads(page, "requirement not kept");
        snprintf(name, sizeof name, "%.40s %s", row->any->id, hn_level_names[row->any->level]);
        put_name(page, name, NAME_WIDTH);
        for (size_t run = 0; run < page->set->run_count; run++)
            if (row->in[run])
                put_cell(page, row->in[run]->verdict, hn_verdict_table[row->in[run]->verdict].name);
            else
                put_cell(page, HN_SKIP, "none");
        hn_buffer_putc(page->out, '\n');
    }
}

/* ---- troubles ---- */

/* Prints "fail in 1 4 7" for each bad verdict, worst first. */
static void print_where(struct page *page, const struct rp_set_check *row)
{
    for (int verdict = 0; verdict <= HN_BLOCKED; verdict++) {
        int any = 0;
        for (size_t run = 0; run < page->set->run_count; run++) {
            if (!row->in[run] || row->in[run]->verdict != (enum hn_verdict)verdict)
                continue;
            if (!any++)
                hn_buffer_printf(page->out, "  %s%s%s in",
                                 hn_colour(page->colour, (enum hn_verdict)verdict),
                                 hn_verdict_table[verdict].name, hn_colour_end(page->colour));
            hn_buffer_printf(page->out, " %zu", run + 1);
        }
    }
    hn_buffer_putc(page->out, '\n');
}

static void print_trouble(struct page *page, const struct rp_set_check *row)
{
    hn_terminal_puts(page->out, row->any->id);
    print_where(page, row);
    for (size_t run = 0; run < page->set->run_count; run++) {
        const struct rp_check *check = row->in[run];
        if (!check || check->verdict != row->worst)
            continue;
        hn_terminal_put(page->out, "     ", check->seen[0] ? check->seen : check->reason,
                        check->location[0] ? "  at " : "");
        hn_terminal_puts(page->out, check->location);
        if (row->blocks)
            hn_buffer_printf(page->out, "  (blocks %zu)", row->blocks);
        hn_buffer_putc(page->out, '\n');
        return;
    }
}

static int print_troubles(struct page *page)
{
    size_t *indices = calloc(page->set->check_count + 1, sizeof *indices);
    if (!indices)
        return HN_ENOMEM;
    const size_t count = rp_set_troubles(page->set, indices);
    if (count)
        hn_buffer_puts(page->out, "\ntroubles, causes first\n");
    for (size_t i = 0; i < count && i < TROUBLES_MAX; i++)
        print_trouble(page, &page->set->checks[indices[i]]);
    if (count > TROUBLES_MAX)
        hn_buffer_printf(page->out, "and %zu more: see --format html\n", count - TROUBLES_MAX);
    free(indices);
    return HN_OK;
}

int rp_render_text(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
    struct rp_set *set;
    struct hn_error error;
    if (count == 1)
        return rp_render_text_one(runs[0], options->colour, out);
    int status = rp_set_make(runs, count, &set, &error);
    if (status)
        return status;
    struct page page = {
        .out = out, .set = set, .colour = options->colour, .width = count > 4 ? 15 : 20};
    print_runs(&page);
    print_stages(&page);
    print_modules(&page);
    print_capabilities(&page);
    print_requirements(&page);
    status = print_troubles(&page);
    rp_set_destroy(set);
    return status ? status : out->status;
}
