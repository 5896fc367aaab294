/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Failures in the HTML report without a script: the causes above all tables, and each failure in full for a
 * reader who has none.
 */
#include <stdio.h>
#include <stdlib.h>

#include "check_likely.h"
#include "check_notes.h"
#include "check_story.h"
#include "file.h"
#include "html_parts.h"

#define FAILURES_MAX 200
#define CAUSES_MAX 12

/* ---- causes ---- */

static void write_cause(const struct rp_check *check, struct hn_buffer *out)
{
    char seen[240];

    snprintf(seen, sizeof seen, "%s", rp_check_message(check));
    hn_buffer_puts(out, "<li>");
    rp_html_verdict(out, check->verdict);
    rp_html_put(out, " <a class=\"id\" href=\"#", check->id, "\">");
    rp_html_text(out, check->id);
    hn_buffer_printf(out, "</a> %s: ", hn_level_names[check->level]);
    rp_html_text(out, seen);
    const size_t same = check->joined_count + check->followers;
    if (same)
        hn_buffer_printf(out, " <span class=\"note\">and %zu more of this cause</span>", same);
    if (check->blocks > check->followers)
        hn_buffer_printf(out, " <span class=\"note\">blocks %zu</span>",
                         check->blocks - check->followers);
    hn_buffer_puts(out, "</li>\n");
}

static int is_cause(const struct rp_check *check)
{
    return hn_verdict_table[check->verdict].fails && !check->joined;
}

/* Of one run: what to look at first. */
void rp_html_first(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    const struct rp_run *run = set->runs[0];
    size_t *indices = calloc(run->check_count + 1, sizeof *indices), causes = 0;
    const size_t count = indices && set->run_count == 1 ? rp_run_troubles(run, indices) : 0;

    for (size_t i = 0; i < count; i++) {
        const struct rp_check *check = &run->checks[indices[i]];
        if (!is_cause(check) || causes++ >= CAUSES_MAX)
            continue;
        if (causes == 1)
            hn_buffer_puts(
                out, "<section id=\"first\" aria-labelledby=\"first-title\">\n<div "
                     "class=\"section-head\"><h2 id=\"first-title\">Causes, those that matter "
                     "most first</h2></div>\n<ol>\n");
        write_cause(check, out);
    }
    if (causes)
        hn_buffer_puts(out, "</ol>\n");
    if (causes > CAUSES_MAX)
        hn_buffer_printf(out, "<p class=\"note\">and %zu more in the list of checks</p>\n",
                         causes - CAUSES_MAX);
    if (causes)
        hn_buffer_puts(out, "</section>\n");
    free(indices);
}

/* ---- failures, for a reader without scripts ---- */

static void write_line(const char *name, const char *text, struct hn_buffer *out)
{
    if (!text[0])
        return;
    hn_buffer_printf(out, "<dt>%s</dt><dd>", name);
    rp_html_put(out, "", text, "</dd>");
}

static void write_words(const char *name, rp_words *words, const struct rp_run *run,
                        const struct rp_check *check, struct hn_buffer *out)
{
    struct hn_buffer text;

    hn_buffer_init(&text, RP_STORY_LIMIT);
    words(run, check, &text);
    write_line(name, text.text, out);
    hn_buffer_finish(&text);
}

static void write_failure(const struct rp_set *set, const struct rp_set_check *row,
                          struct hn_buffer *out)
{
    char cause[HN_PATH_SIZE];

    for (size_t run = 0; run < set->run_count; run++) {
        const struct rp_check *check = row->in[run];
        if (!check || check->verdict >= HN_BLOCKED)
            continue;
        hn_buffer_puts(out, "<div class=\"static\"><h3>");
        rp_html_verdict(out, check->verdict);
        rp_html_put(out, " ", check->id, set->run_count > 1 ? " on " : "");
        rp_html_put(out, "", set->run_count > 1 ? set->labels[run] : "", "</h3><dl>");
        write_line("demand", rp_check_demand(set->runs[run], check), out);
        write_words("disputed", rp_check_disputed, set->runs[run], check, out);
        write_line("wanted", check->expected, out);
        write_line("seen", check->seen[0] ? check->seen : check->reason, out);
        write_line("where", check->location, out);
        write_line("failed", rp_check_failed(check), out);
        write_words("fallback", rp_check_fallback, set->runs[run], check, out);
        write_words("clauses", rp_check_clauses, set->runs[run], check, out);
        rp_check_cause(check, cause, sizeof cause);
        write_line("cause", cause, out);
        write_line("likely", rp_check_likely(check), out);
        if (check->blocks)
            hn_buffer_printf(out, "<dt>blocks</dt><dd>%zu checks</dd>", check->blocks);
        hn_buffer_puts(out, "</dl></div>\n");
        return;
    }
}

void rp_html_failures(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    size_t *indices = calloc(set->check_count + 1, sizeof *indices);
    const size_t count = indices ? rp_set_troubles(set, indices) : 0;

    for (size_t i = 0; i < count && i < FAILURES_MAX; i++)
        write_failure(set, &set->checks[indices[i]], out);
    if (count > FAILURES_MAX)
        hn_buffer_printf(out, "<p>and %zu more</p>\n", count - FAILURES_MAX);
    free(indices);
}
