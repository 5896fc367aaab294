/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of the HTML report that need no script: modules and capabilities.
 */
#include <stdlib.h>
#include <string.h>

#include "check_story.h"
#include "html_parts.h"

/* Names of many runs stand upright, so that their columns can be narrow. */
#define FEW_RUNS 5

static void open_table(const char *id, const char *title, const char *kind, struct hn_buffer *out)
{
    hn_buffer_printf(out,
                     "<section id=\"%s\" aria-labelledby=\"%s-title\">\n"
                     "<div class=\"section-head\"><h2 id=\"%s-title\">%s</h2></div>\n"
                     "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                     "aria-label=\"Table of the %s\">"
                     "<table class=\"matrix %s\" aria-labelledby=\"%s-title\">\n",
                     id, id, id, title, id, kind, id);
}

static void close_table(struct hn_buffer *out)
{
    hn_buffer_puts(out, "</table></div>\n</section>\n");
}

/* ---- one run: modules x verdicts ---- */

static void write_bar(const size_t totals[HN_VERDICTS], size_t count, struct hn_buffer *out)
{
    double at = 0;

    hn_buffer_puts(out, "<td class=\"bar\"><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
                        "aria-hidden=\"true\" focusable=\"false\">");
    for (int i = HN_VERDICTS - 1; count && i >= 0; i--) {
        const double width = 100.0 * (double)totals[i] / (double)count;
        if (totals[i])
            hn_buffer_printf(out,
                             "<rect class=\"%s\" x=\"%.3f\" y=\"0\" width=\"%.3f\" height=\"8\"/>",
                             hn_verdict_table[i].name, at, width);
        at += width;
    }
    hn_buffer_puts(out, "</svg></td>");
}

/* The worst first: on a phone the last columns lie outside. */
static void write_counts(const struct rp_run *run, const size_t totals[HN_VERDICTS], size_t count,
                         struct hn_buffer *out)
{
    for (int i = 0; i < HN_VERDICTS; i++) {
        if (!run->totals[i])
            continue;
        if (totals[i])
            hn_buffer_printf(out, "<td class=\"number\">%zu</td>", totals[i]);
        else
            hn_buffer_puts(out, "<td class=\"number nothing\">0</td>");
    }
    hn_buffer_printf(out, "<td class=\"number\">%zu</td>", count);
    write_bar(totals, count, out);
    hn_buffer_puts(out, "</tr>\n");
}

static void write_one_run(const struct rp_run *run, struct hn_buffer *out)
{
    size_t count = 0;

    open_table("modules", "Modules", "one", out);
    hn_buffer_puts(out, "<thead><tr><th scope=\"col\">Module</th>");
    for (int i = 0; i < HN_VERDICTS; i++) {
        count += run->totals[i];
        if (run->totals[i])
            hn_buffer_printf(out, "<th scope=\"col\" class=\"number\">%s</th>",
                             hn_verdict_table[i].name);
    }
    hn_buffer_puts(out, "<th scope=\"col\" class=\"number\">checks</th><th scope=\"col\">Share</th>"
                        "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < run->module_count; i++) {
        rp_html_put(out, "<tr><th scope=\"row\">", run->modules[i].name, "</th>");
        write_counts(run, run->modules[i].totals, run->modules[i].count, out);
    }
    hn_buffer_puts(out, "</tbody>\n<tfoot><tr><th scope=\"row\">all</th>");
    write_counts(run, run->totals, count, out);
    hn_buffer_puts(out, "</tfoot>\n");
    close_table(out);
}

/* ---- several runs: modules x runs ---- */

static void write_run_heads(const struct rp_set *set, const char *first, struct hn_buffer *out)
{
    hn_buffer_printf(out, "<thead><tr><th scope=\"col\">%s</th>", first);
    for (size_t i = 0; i < set->run_count; i++)
        rp_html_put(out, "<th scope=\"col\"><span class=\"run\">", set->labels[i], "</span></th>");
    hn_buffer_puts(out, "</tr></thead>\n<tbody>\n");
}

static void write_share(const struct rp_share *share, struct hn_buffer *out)
{
    if (!share->total) {
        hn_buffer_puts(out, "<td class=\"cell nothing\">none</td>");
        return;
    }
    const char *worst = hn_verdict_table[share->worst].name;
    hn_buffer_printf(out, "<td class=\"cell %s\" title=\"worst: %s\">%zu/%zu", worst, worst,
                     share->kept, share->total);
    if (share->worst != HN_PASS)
        hn_buffer_printf(out, "<br><small>%s</small>", worst);
    hn_buffer_puts(out, "</td>");
}

static const char *kind_of(const struct rp_set *set)
{
    return set->run_count == 1 ? "one" : set->run_count <= FEW_RUNS ? "few" : "many";
}

static void write_several(const struct rp_set *set, struct hn_buffer *out)
{
    open_table("modules", "Modules: share kept and worst verdict", kind_of(set), out);
    write_run_heads(set, "Module", out);
    for (size_t i = 0; i < set->module_count; i++) {
        rp_html_put(out, "<tr><th scope=\"row\">", set->modules[i].name, "</th>");
        for (size_t run = 0; run < set->run_count; run++)
            write_share(&set->modules[i].in[run], out);
        hn_buffer_puts(out, "</tr>\n");
    }
    hn_buffer_puts(out, "</tbody>\n<tfoot>");
    for (int level = 0; level < HN_ADVISORY; level++) {
        hn_buffer_printf(out, "<tr><th scope=\"row\">%s, requirements</th>", hn_level_names[level]);
        for (size_t run = 0; run < set->run_count; run++) {
            const struct rp_share share = rp_level_share(set->runs[run], (enum hn_level)level);
            write_share(&share, out);
        }
        hn_buffer_puts(out, "</tr>\n");
    }
    hn_buffer_puts(out, "</tfoot>\n");
    close_table(out);
}

void rp_html_matrix(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    if (set->run_count == 1)
        write_one_run(set->runs[0], out);
    else
        write_several(set, out);
}

/* ---- capabilities ---- */

static const char *const standing_classes[RP_STANDINGS] = {[RP_UNSHOWN] = "skip",
                                                           [RP_PROVEN] = "pass",
                                                           [RP_ABSENT] = "skip",
                                                           [RP_LACKING] = "blocked",
                                                           [RP_BROKEN] = "fail"};

static void write_capability_cells(const struct rp_capability *capability, struct hn_buffer *out)
{
    hn_buffer_printf(out, "<td>%s", hn_claim_names[capability->claim]);
    if (capability->source[0])
        rp_html_put(out, ", by the ", capability->source, "");
    hn_buffer_puts(out, "</td><td>");
    if (capability->probe)
        rp_html_verdict(out, capability->probe->verdict);
    else
        hn_buffer_puts(out, "<span class=\"nothing\">no probe</span>");
    hn_buffer_puts(out, "</td><td>");
    if (capability->refusal)
        rp_html_verdict(out, capability->refusal->verdict);
    else
        hn_buffer_puts(out, "<span class=\"nothing\">none</span>");
    hn_buffer_puts(out, "</td><td class=\"number\">");
    if (capability->total)
        hn_buffer_printf(out, "%zu/%zu", capability->kept, capability->total);
    else
        hn_buffer_puts(out, "<span class=\"nothing\">none</span>");
    hn_buffer_printf(out, "</td><td><span class=\"v %s\">%s</span></td>",
                     standing_classes[capability->standing],
                     rp_standing_names[capability->standing]);
}

static void write_standing(const struct rp_capability *capability, struct hn_buffer *out)
{
    if (!capability) {
        hn_buffer_puts(out, "<td class=\"cell nothing\">none</td>");
        return;
    }
    hn_buffer_printf(out, "<td class=\"cell %s\">%s<br><small>claim: %s<br>probe: %s</small></td>",
                     standing_classes[capability->standing],
                     rp_standing_names[capability->standing], hn_claim_names[capability->claim],
                     capability->probe ? hn_verdict_table[capability->probe->verdict].name
                                       : "none");
}

void rp_html_capabilities(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    if (!set->capability_count)
        return;
    hn_buffer_printf(out,
                     "<section id=\"capabilities\"><details><summary>Capabilities: claimed, "
                     "probed, proven</summary>\n<div class=\"scroll\" tabindex=\"0\" "
                     "role=\"group\" aria-label=\"Capabilities\"><table class=\"matrix %s\">\n",
                     kind_of(set));
    if (set->run_count == 1)
        hn_buffer_puts(out, "<thead><tr><th scope=\"col\">Capability</th>"
                            "<th scope=\"col\">Claimed</th><th scope=\"col\">Probe</th>"
                            "<th scope=\"col\">Refusal</th>"
                            "<th scope=\"col\" class=\"number\">Checks that need it</th>"
                            "<th scope=\"col\">So it is</th></tr></thead>\n<tbody>\n");
    else
        write_run_heads(set, "Capability", out);
    for (size_t i = 0; i < set->capability_count; i++) {
        rp_html_put(out, "<tr><th scope=\"row\" class=\"id\">", set->capabilities[i].any->name,
                    "</th>");
        if (set->run_count == 1)
            write_capability_cells(set->capabilities[i].any, out);
        else
            for (size_t run = 0; run < set->run_count; run++)
                write_standing(set->capabilities[i].in[run], out);
        hn_buffer_puts(out, "</tr>\n");
    }
    hn_buffer_puts(out, "</tbody></table></div></details></section>\n");
}
