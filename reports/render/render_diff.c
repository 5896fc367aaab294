/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A diff of two runs for a terminal and for the summary of a CI step. render_diff_json.c has the
 * third format.
 */
#include "render_diff.h"

#include <string.h>

#include "markup_escape.h"
#include "terminal.h"

#define SUMMARY_MOST ((size_t)900 << 10)
#define SENTENCE_MOST 300

const struct rp_diff_format rp_diff_formats[] = {
    {"text", rp_diff_text}, {"json", rp_diff_json}, {"markdown", rp_diff_markdown}};
const size_t rp_diff_format_count = sizeof rp_diff_formats / sizeof *rp_diff_formats;

/* ---- facts that make a comparison doubtful ---- */

static const struct {
    const char *words;
    size_t offset;
} facts[] = {
    {"target", offsetof(struct rp_run, target)},
    {"contract", offsetof(struct rp_run, digest)},
    {"selection", offsetof(struct rp_run, select)},
};
#define FACTS (sizeof facts / sizeof *facts)

static const char *fact_of(const struct rp_run *run, size_t fact)
{
    const char *text;
    memcpy(&text, (const char *)run + facts[fact].offset, sizeof text);
    return text;
}

static int differs(const struct rp_diff *diff, size_t fact)
{
    return strcmp(fact_of(diff->from, fact), fact_of(diff->to, fact)) != 0;
}

static const char *verdict_name(const struct rp_check *check)
{
    return check ? hn_verdict_table[check->verdict].name : "none";
}

static const char *seen_of(const struct rp_check *check)
{
    return check->seen[0] ? check->seen : check->reason;
}

/* ---- text ---- */

static const char *title_of(enum rp_change_kind kind)
{
    if (kind == RP_MENDED)
        return "no longer fails; the rest cannot be observed on this device";
    return kind == RP_VISIBLE ? "newly visible" : rp_change_names[kind];
}

static void print_run(struct hn_buffer *out, const char *name, const struct rp_run *run)
{
    hn_buffer_printf(out, "%-5s", name);
    hn_terminal_put(out, "", run->target, "  torch ");
    hn_terminal_puts(out, run->torch_version);
    hn_buffer_printf(out, "  contract %d  ", run->contract);
    hn_terminal_put(out, "", run->date, "  ");
    hn_terminal_put(out, "", run->folder, run->complete ? "\n" : "  (not complete)\n");
}

static void print_doubts(struct hn_buffer *out, const struct rp_diff *diff)
{
    for (size_t i = 0; i < FACTS; i++) {
        if (!differs(diff, i))
            continue;
        hn_buffer_printf(out, "the %s differs: ", facts[i].words);
        hn_terminal_put(out, "", fact_of(diff->from, i), ", then ");
        hn_terminal_put(out, "", fact_of(diff->to, i), "\n");
    }
}

static void print_change(struct hn_buffer *out, const struct rp_change *change, int colour)
{
    static const char *const colours[RP_CHANGE_KINDS] = {
        [RP_WORSE] = "\x1b[31m",  [RP_VISIBLE] = "\x1b[33m", [RP_BETTER] = "\x1b[32m",
        [RP_MENDED] = "\x1b[32m", [RP_OTHER] = "\x1b[33m",   [RP_SEEN] = "\x1b[33m",
        [RP_ADDED] = "\x1b[36m",  [RP_REMOVED] = "\x1b[36m"};
    const struct rp_check *shown = change->to ? change->to : change->from;
    hn_buffer_puts(out, colour ? colours[change->kind] : "");
    hn_buffer_printf(out, "  %-12s -> %-12s", verdict_name(change->from), verdict_name(change->to));
    hn_buffer_puts(out, colour ? "\x1b[0m" : "");
    hn_terminal_put(out, change->under ? "     " : "  ", shown->id, "");
    hn_buffer_printf(out, "  (%s)\n", hn_level_names[shown->level]);
    if (change->under || !change->to || !seen_of(change->to)[0])
        return;
    hn_buffer_printf(out, "%32s", "");
    hn_terminal_puts(out, seen_of(change->to));
    if (change->to->location[0])
        hn_terminal_put(out, "  at ", change->to->location, "");
    hn_buffer_putc(out, '\n');
}

int rp_diff_text(const struct rp_diff *diff, int colour, struct hn_buffer *out)
{
    print_run(out, "from", diff->from);
    print_run(out, "to", diff->to);
    print_doubts(out, diff);
    for (size_t i = 0; i < diff->change_count; i++) {
        const struct rp_change *change = &diff->changes[i];
        if (i == 0 || change->kind != diff->changes[i - 1].kind)
            hn_buffer_printf(out, "\n%s: %zu\n", title_of(change->kind),
                             diff->counts[change->kind]);
        print_change(out, change, colour);
    }
    if (!diff->change_count)
        hn_buffer_puts(out, "\nnothing changed\n");
    return out->status;
}

/* ---- markdown: untrusted text only inside <code>, where Markdown is not interpreted ---- */

/* Adds `before`, a text of assay, and then the untrusted text as code. */
static void add_code(struct hn_buffer *out, const char *before, const char *text)
{
    hn_buffer_printf(out, "%s<code>", before);
    rp_markup_text(out, text, RP_ONE_LINE, SENTENCE_MOST);
    hn_buffer_puts(out, "</code>");
}

static void add_run(struct hn_buffer *out, const char *name, const struct rp_run *run)
{
    hn_buffer_printf(out, "- %s: ", name);
    add_code(out, "", run->target);
    add_code(out, " torch ", run->torch_version);
    hn_buffer_printf(out, ", contract %d, ", run->contract);
    add_code(out, "", run->date);
    hn_buffer_puts(out, run->complete ? "\n" : ", **not complete**\n");
}

static void add_change(struct hn_buffer *out, const struct rp_change *change)
{
    const struct rp_check *shown = change->to ? change->to : change->from;
    hn_buffer_puts(out, change->under ? "  - " : "- ");
    add_code(out, "", shown->id);
    hn_buffer_printf(out, " %s: %s, was %s", hn_level_names[shown->level], verdict_name(change->to),
                     verdict_name(change->from));
    if (!change->under && change->to && seen_of(change->to)[0])
        add_code(out, ": ", seen_of(change->to));
    hn_buffer_putc(out, '\n');
}

int rp_diff_markdown(const struct rp_diff *diff, int colour, struct hn_buffer *out)
{
    (void)colour;
    hn_buffer_puts(out, "## assay: what changed\n\n");
    add_run(out, "from", diff->from);
    add_run(out, "to", diff->to);
    for (size_t i = 0; i < FACTS; i++)
        if (differs(diff, i))
            hn_buffer_printf(out, "- **the %s differs**\n", facts[i].words);
    for (size_t i = 0; i < diff->change_count; i++) {
        const struct rp_change *change = &diff->changes[i];
        if (out->length > SUMMARY_MOST) {
            hn_buffer_printf(out, "\nand %zu more changes\n", diff->change_count - i);
            break;
        }
        if (i == 0 || change->kind != diff->changes[i - 1].kind)
            hn_buffer_printf(out, "\n### %s: %zu\n\n", title_of(change->kind),
                             diff->counts[change->kind]);
        add_change(out, change);
    }
    if (!diff->change_count)
        hn_buffer_puts(out, "\nNothing changed.\n");
    return out->status;
}
