/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The head of the HTML report: what was run where, and the sum.
 */
#include <string.h>

#include "check_story.h"
#include "html_parts.h"

/* ---- the sum ---- */

static void write_level(const struct rp_run *run, enum hn_level level, struct hn_buffer *out)
{
    if (!rp_level_share(run, level).total)
        return;
    hn_buffer_printf(out, "<span class=\"level-sum\"><b>%s</b> ", hn_level_names[level]);
    rp_level_words(run, level, out);
    hn_buffer_puts(out, "</span>\n");
}

static void write_stage(const struct rp_run *run, struct hn_buffer *out)
{
    char stage[160];

    rp_stage_words(run, stage, sizeof stage);
    if (!stage[0])
        return;
    rp_html_put(out, "<span class=\"level-sum\"><b>stage reached</b> ", stage, "</span>\n");
}

static void write_sum(const struct rp_run *run, struct hn_buffer *out)
{
    hn_buffer_puts(out, "<p class=\"verdict\">");
    rp_run_sentence(run, out);
    hn_buffer_puts(out, "</p>\n<p class=\"verdict-line\">\n");
    write_stage(run, out);
    for (int level = 0; level < HN_ADVISORY; level++)
        write_level(run, (enum hn_level)level, out);
    for (int i = 0; i < HN_VERDICTS; i++) {
        if (!run->totals[i])
            continue;
        hn_buffer_printf(out, "<span>%zu ", run->totals[i]);
        rp_html_verdict(out, (enum hn_verdict)i);
        hn_buffer_puts(out, "</span>\n");
    }
    hn_buffer_printf(out, "</p>\n<p class=\"note\">%s</p>\n", rp_level_legend);
}

/* Of several runs a warning says whose it is. */
static void begin_warning(const struct rp_set *set, size_t index, struct hn_buffer *out)
{
    hn_buffer_puts(out, "<p class=\"warning\">");
    if (set->run_count == 1)
        return;
    rp_html_put(out, "", set->labels[index], ": ");
}

static void write_warning(const struct rp_set *set, size_t index, const char *words,
                          const char *text, struct hn_buffer *out)
{
    begin_warning(set, index, out);
    hn_buffer_puts(out, words);
    rp_html_put(out, words[0] && text[0] ? ": " : "", text, "</p>\n");
}

static void write_incomplete(const struct rp_set *set, size_t index, struct hn_buffer *out)
{
    const struct rp_run *run = set->runs[index];

    if (!run->complete)
        write_warning(set, index, "the run is not complete", run->why, out);
    if (run->loss[0])
        write_warning(set, index, "", run->loss, out);
}

/* Both views, whatever the verdict. */
static void write_disputes(const struct rp_set *set, size_t index, struct hn_buffer *out)
{
    const struct rp_run *run = set->runs[index];
    struct hn_buffer words;

    hn_buffer_init(&words, RP_STORY_LIMIT);
    for (size_t i = 0; i < run->requirement_count; i++) {
        const struct rp_requirement *clause = &run->requirements[i];
        if (!hn_dispute_is_open(&clause->dispute))
            continue;
        hn_buffer_clear(&words);
        hn_buffer_printf(&words, "%s (%s) is ", clause->id, hn_verdict_table[clause->verdict].name);
        hn_dispute_words(&clause->dispute, &words);
        begin_warning(set, index, out);
        rp_html_put(out, "", words.text, "</p>\n");
    }
    hn_buffer_finish(&words);
}

static void write_doubts(const struct rp_set *set, size_t index, struct hn_buffer *out)
{
    const struct rp_run *run = set->runs[index];

    for (size_t i = 0; i < run->doubt_count; i++) {
        begin_warning(set, index, out);
        rp_html_put(out, "preflight ", run->doubts[i].severity, ": ");
        rp_html_put(out, "", run->doubts[i].message, "</p>\n");
    }
}

/* ---- facts ---- */

struct fact {
    const char *name;
    void (*write)(const struct rp_run *run, struct hn_buffer *out);
    int wide;
};

/* "a (b)" */
static void write_pair(const char *first, const char *second, struct hn_buffer *out)
{
    rp_html_text(out, first);
    if (!second[0])
        return;
    rp_html_put(out, " (", second, ")");
}

static void write_target(const struct rp_run *run, struct hn_buffer *out)
{
    write_pair(run->target, "", out);
    if (run->devices)
        hn_buffer_printf(out, ", %d device%s", run->devices, run->devices == 1 ? "" : "s");
}

static void write_code(const char *text, struct hn_buffer *out)
{
    if (!text[0])
        return;
    rp_html_put(out, "<code>", text, "</code>");
}

static void write_torch(const struct rp_run *run, struct hn_buffer *out)
{
    rp_html_put(out, "", run->torch_version, run->torch_git[0] ? " at " : "");
    write_code(run->torch_git, out);
}

static void write_contract(const struct rp_run *run, struct hn_buffer *out)
{
    if (run->contract)
        hn_buffer_printf(out, "version %d ", run->contract);
    write_code(run->digest, out);
}

static void write_host(const struct rp_run *run, struct hn_buffer *out)
{
    write_pair(run->host, run->machine, out);
}

static void write_isolation(const struct rp_run *run, struct hn_buffer *out)
{
    write_pair(run->isolation, run->isolation_why, out);
}

static void write_seed(const struct rp_run *run, struct hn_buffer *out)
{
    rp_html_text(out, run->seed);
    if (run->shards > 1)
        hn_buffer_printf(out, ", shard %d of %d", run->shard, run->shards);
}

static void write_date(const struct rp_run *run, struct hn_buffer *out)
{
    rp_html_text(out, run->date);
}

static void write_command(const struct rp_run *run, struct hn_buffer *out)
{
    write_code(run->command, out);
}

static const struct fact facts[] = {
    {"Target", write_target, 0},     {"Torch", write_torch, 1},
    {"Contract", write_contract, 0}, {"Date", write_date, 0},
    {"Host", write_host, 1},         {"Seed", write_seed, 0},
    {"Command", write_command, 1},   {"Isolation", write_isolation, 1},
};
#define FACTS (sizeof facts / sizeof *facts)

static void write_facts(const struct rp_run *run, struct hn_buffer *out)
{
    hn_buffer_puts(out, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < FACTS; i++) {
        hn_buffer_printf(out, "<div%s><dt>%s</dt><dd>", facts[i].wide ? " class=\"wide\"" : "",
                         facts[i].name);
        facts[i].write(run, out);
        hn_buffer_puts(out, "</dd></div>\n");
    }
    hn_buffer_puts(out, "</dl>\n");
}

/* Several runs: a row each, folded in. */
static void write_runs(const struct rp_set *set, struct hn_buffer *out)
{
    hn_buffer_puts(out, "<details class=\"runs\"><summary>Facts of each run</summary>\n"
                        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                        "aria-label=\"Facts of each run\"><table><thead><tr>");
    for (size_t i = 0; i < FACTS; i++)
        hn_buffer_printf(out, "<th scope=\"col\">%s</th>", facts[i].name);
    hn_buffer_puts(out, "</tr></thead><tbody>\n");
    for (size_t run = 0; run < set->run_count; run++) {
        hn_buffer_puts(out, "<tr>");
        for (size_t i = 0; i < FACTS; i++) {
            hn_buffer_puts(out, i ? "<td>" : "<th scope=\"row\">");
            facts[i].write(set->runs[run], out);
            hn_buffer_puts(out, i ? "</td>" : "</th>");
        }
        hn_buffer_puts(out, "</tr>\n");
    }
    hn_buffer_puts(out, "</tbody></table></div></details>\n");
}

/* ---- the head ---- */

void rp_html_title(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    if (set->run_count > 1) {
        hn_buffer_printf(out, "%zu runs - assay", set->run_count);
        return;
    }
    rp_html_put(out, "", set->labels[0], " - assay");
}

void rp_html_header(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;
    hn_buffer_puts(out, "<header class=\"page\">\n<p class=\"brand\">assay report</p>\n<h1>");
    if (set->run_count > 1)
        hn_buffer_printf(out, "%zu runs side by side", set->run_count);
    else
        rp_html_text(out, set->labels[0]);
    hn_buffer_puts(out, "</h1>\n");
    if (set->run_count == 1)
        write_sum(set->runs[0], out);
    for (size_t i = 0; i < set->run_count; i++)
        write_incomplete(set, i, out);
    for (size_t i = 0; i < set->run_count; i++)
        write_disputes(set, i, out);
    for (size_t i = 0; i < set->run_count; i++)
        write_doubts(set, i, out);
    if (set->run_count == 1)
        write_facts(set->runs[0], out);
    else
        write_runs(set, out);
    hn_buffer_puts(out, "</header>\n");
}
