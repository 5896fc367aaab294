/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Causes of failures of PyTorch's own tests (causes.json of a run, if it has one), as a table that
 * needs no script. Where checks say the opposite, both stand side by side.
 */
#include "cause_list.h"
#include "file.h"
#include "html_parts.h"
#include "plain_page.h"

#define ROOM ((size_t)512 << 20)
#define COLUMNS 7
#define SHOWN 500 /* rows; causes.json has all */

static void put_cell(struct hn_buffer *out, const char *text)
{
    rp_html_put(out, "<td>", text, "</td>");
}

static void put_program(struct hn_buffer *out, const struct rp_cause *cause)
{
    rp_html_put(out, "<td>", cause->script[0] ? cause->script : "none", "");
    if (cause->script[0] && !cause->shown)
        hn_buffer_puts(out, " (does not show it)");
    hn_buffer_puts(out, "</td>");
}

/* Below the cause, over the whole width: one of the two sides is wrong. */
static void put_contradiction(struct hn_buffer *out, const struct rp_cause *cause)
{
    hn_buffer_printf(out, "<tr><td colspan=\"%d\"><span class=\"v fail\">contradicted</span> ",
                     COLUMNS);
    rp_html_put(out, "These tests say that ", cause->clause,
                cause->kept_by.count == 1 ? " is broken, this check says that it is kept: "
                                          : " is broken, these checks say that it is kept: ");
    for (size_t i = 0; i < cause->kept_by.count; i++)
        rp_html_put(out, i ? ", " : "", cause->kept_by.items[i], "");
    hn_buffer_puts(out, ". One of the two is wrong.</td></tr>\n");
}

static void put_row(struct hn_buffer *out, const struct rp_cause *cause)
{
    rp_html_put(out, "<tr><th scope=\"row\">", cause->cause, "</th>");
    put_cell(out, cause->subject);
    put_cell(out, cause->words);
    hn_buffer_printf(out, "<td class=\"number\">%zu</td>", cause->tests.count);
    put_cell(out, cause->example);
    put_program(out, cause);
    put_cell(out, cause->clause);
    hn_buffer_puts(out, "</tr>\n");
    if (cause->kept_by.count)
        put_contradiction(out, cause);
}

static void put_list(struct hn_buffer *out, const struct rp_cause_list *list)
{
    static const char *const columns[COLUMNS + 1] = {"Cause",   "Subject", "Words",  "Tests",
                                                     "Example", "Program", "Clause", NULL};

    rp_plain_table_open(out, "causes", "Why PyTorch's own tests did not pass",
                        "One line for each cause, the largest first.", columns);
    for (size_t i = 0; i < list->count && i < SHOWN; i++)
        put_row(out, &list->items[i]);
    rp_plain_table_close(out);
    for (size_t i = 0; i < list->no_longer.count; i++)
        rp_html_put(out, "<p class=\"note\">No longer so: ", list->no_longer.items[i], "</p>\n");
}

/* Causes are of one backend: a page of several runs has none. */
void rp_html_causes(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    struct rp_cause_list list;
    char path[HN_PATH_SIZE];

    if (set->run_count != 1 ||
        hn_path_join(path, sizeof path, set->runs[0]->folder, RP_CAUSES_FILE, NULL) ||
        !hn_path_exists(path))
        return;
    struct hn_arena *arena = hn_arena_create(ROOM);
    struct hn_error error;
    if (arena && rp_cause_list_read(path, arena, &list, &error) == HN_OK)
        put_list(out, &list);
    else
        hn_buffer_puts(out, "<p class=\"warning\">causes.json of the run cannot be read</p>\n");
    hn_arena_destroy(arena);
}
