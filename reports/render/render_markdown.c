/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Markdown for the summary of a CI step. GitHub rejects a whole summary if it exceeds 1 MiB.
 * Therefore a long summary is cut, the least important part first, and a sentence names the
 * missing parts. Untrusted text is only inside <code> and <pre> of raw HTML, where Markdown,
 * mentions and links are not interpreted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_story.h"
#include "markup_escape.h"
#include "render.h"
#include "run_set.h"

#define SUMMARY_MOST ((size_t)1 << 20)
#define TAIL_ROOM 32768 /* space for the sentences after the cut */
#define TITLE_MOST 300
#define NAME_MOST 120
#define DOUBTS_MOST 20

/* Adds `before`, a text of assay, and then the untrusted text as code. */
static void add_code(struct hn_buffer *out, const char *before, const char *text, size_t most)
{
    hn_buffer_printf(out, "%s<code>", before);
    rp_markup_text(out, text, RP_ONE_LINE, most);
    hn_buffer_puts(out, "</code>");
}

/* A cell of a Markdown table must not contain raw text; the names of modules are plain words. */
static void add_name(struct hn_buffer *out, const char *name)
{
    for (size_t i = 0; name[i] && i < NAME_MOST; i++) {
        const unsigned char c = (unsigned char)name[i];
        const int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == ' ';
        hn_buffer_putc(out, plain ? name[i] : '.');
    }
}

/* Adds a piece if enough space is left for the texts that must follow. */
static int add_piece(struct hn_buffer *out, struct hn_buffer *piece)
{
    const int fits = !piece->status && out->length + piece->length + TAIL_ROOM <= SUMMARY_MOST;
    if (fits)
        hn_buffer_add(out, piece->text, piece->length);
    hn_buffer_finish(piece);
    return fits;
}

/* ---- header and result ---- */

static void add_disputed(struct hn_buffer *out, const struct rp_run *run)
{
    struct hn_buffer words;
    hn_buffer_init(&words, RP_STORY_LIMIT);
    rp_run_disputed(run, &words);
    if (words.length)
        add_code(out, " Disputed: ", words.text, TITLE_MOST);
    hn_buffer_finish(&words);
}

static void add_headline(struct hn_buffer *out, const struct rp_run *run)
{
    char stage[TITLE_MOST];
    add_code(out, "## assay: ", run->target, NAME_MOST);
    add_code(out, "\n\ntorch ", run->torch_version, NAME_MOST);
    hn_buffer_printf(out, ", contract %d, ", run->contract);
    add_code(out, "", run->date, NAME_MOST);
    hn_buffer_puts(out, "\n\n**");
    rp_run_sentence(run, out);
    hn_buffer_puts(out, "**\n\n");
    rp_stage_words(run, stage, sizeof stage);
    if (stage[0]) {
        add_code(out, "**stage reached** ", stage, TITLE_MOST);
        hn_buffer_puts(out, "\n\n");
    }
    for (int level = 0; level < HN_ADVISORY; level++) {
        if (!rp_level_share(run, (enum hn_level)level).total)
            continue;
        hn_buffer_printf(out, "**%s** ", hn_level_names[level]);
        rp_level_words(run, (enum hn_level)level, out);
        hn_buffer_puts(out, ". ");
    }
    hn_buffer_puts(out, rp_level_legend);
    if (!run->complete)
        add_code(out, " **The run is not complete** ", run->why, TITLE_MOST);
    if (run->loss[0])
        add_code(out, "", run->loss, TITLE_MOST);
    add_disputed(out, run);
    hn_buffer_puts(out, "\n\n");
    for (size_t i = 0; i < run->doubt_count && i < DOUBTS_MOST; i++) {
        add_code(out, "preflight ", run->doubts[i].severity, NAME_MOST);
        add_code(out, " ", run->doubts[i].message, TITLE_MOST);
        hn_buffer_puts(out, "\n\n");
    }
}

static void add_row(struct hn_buffer *out, const struct rp_run *run, const char *name,
                    const size_t totals[HN_VERDICTS])
{
    hn_buffer_puts(out, "| ");
    add_name(out, name);
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (run->totals[i])
            hn_buffer_printf(out, totals[i] ? " | %zu" : " | ", totals[i]);
    hn_buffer_puts(out, " |\n");
}

static void add_matrix(struct hn_buffer *out, const struct rp_run *run)
{
    struct hn_buffer piece;
    hn_buffer_init(&piece, SUMMARY_MOST);
    hn_buffer_puts(&piece, "| module");
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (run->totals[i])
            hn_buffer_printf(&piece, " | %s", hn_verdict_table[i].name);
    hn_buffer_puts(&piece, " |\n| ---");
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (run->totals[i])
            hn_buffer_puts(&piece, " | ---:");
    hn_buffer_puts(&piece, " |\n");
    for (size_t i = 0; i < run->module_count; i++)
        add_row(&piece, run, run->modules[i].name, run->modules[i].totals);
    add_row(&piece, run, "all", run->totals);
    hn_buffer_putc(&piece, '\n');
    if (!add_piece(out, &piece))
        hn_buffer_puts(out, "The matrix is left out: it would be too large.\n\n");
}

/* ---- failures ---- */

static int add_trouble(struct hn_buffer *out, const struct rp_run *run,
                       const struct rp_check *check)
{
    struct hn_buffer piece, story;
    char cause[TITLE_MOST];
    rp_check_cause(check, cause, sizeof cause);
    hn_buffer_init(&piece, SUMMARY_MOST);
    hn_buffer_init(&story, RP_STORY_LIMIT);
    rp_check_story(run, check, &story);
    hn_buffer_printf(&piece, "<details><summary><b>%s</b> ", hn_verdict_table[check->verdict].name);
    add_code(&piece, "", check->id, NAME_MOST);
    hn_buffer_printf(&piece, " (%s", hn_level_names[check->level]);
    for (size_t i = 0; i < check->covers.count && i < 4; i++)
        add_code(&piece, " ", check->covers.items[i], NAME_MOST);
    add_code(&piece, ") ", check->joined ? cause : rp_check_message(check), TITLE_MOST);
    hn_buffer_puts(&piece, "</summary>\n\n<pre>\n");
    rp_markup_text(&piece, story.text, RP_KEEP_LINES, RP_STORY_LIMIT);
    hn_buffer_puts(&piece, "</pre>\n\n</details>\n\n");
    hn_buffer_finish(&story);
    return add_piece(out, &piece);
}

static int add_troubles(struct hn_buffer *out, const struct rp_run *run)
{
    size_t *indices = calloc(run->check_count + 1, sizeof *indices), shown = 0;
    if (!indices)
        return HN_ENOMEM;
    const size_t count = rp_run_troubles(run, indices);
    if (count)
        hn_buffer_printf(out, "### %zu to look at, causes first\n\n", count);
    while (shown < count && add_trouble(out, run, &run->checks[indices[shown]]))
        shown++;
    if (shown < count)
        hn_buffer_printf(out,
                         "**%zu more are not shown**: a summary may not be larger than 1 MiB. The "
                         "run's folder has them all.\n\n",
                         count - shown);
    free(indices);
    return HN_OK;
}

/* Returns 1 if the check was skipped, or if the run ended before the check. The list of troubles
 * contains no such checks. */
static int was_not_tried(const struct rp_check *check)
{
    return hn_verdict_table[check->verdict].junit == HN_JUNIT_SKIPPED ||
           check->verdict == HN_INCOMPLETE || check->verdict == HN_NOTRUN;
}

/* Reasons of the checks that did not run, so that every skip is reported. */
static void add_skips(struct hn_buffer *out, const struct rp_run *run)
{
    struct hn_buffer piece;
    size_t count = 0;
    hn_buffer_init(&piece, SUMMARY_MOST);
    for (size_t i = 0; i < run->check_count; i++) {
        const struct rp_check *check = &run->checks[i];
        if (check->support || !was_not_tried(check))
            continue;
        count++;
        hn_buffer_printf(&piece, "%s %.*s: %.*s\n", hn_verdict_table[check->verdict].name,
                         NAME_MOST, check->id, TITLE_MOST, rp_check_message(check));
    }
    if (count) {
        struct hn_buffer list;
        hn_buffer_init(&list, SUMMARY_MOST);
        hn_buffer_printf(
            &list, "<details><summary>%zu skipped or not finished</summary>\n\n<pre>\n", count);
        rp_markup_text(&list, piece.text, RP_KEEP_LINES, SUMMARY_MOST);
        hn_buffer_puts(&list, "</pre>\n\n</details>\n\n");
        list.status = piece.status ? piece.status : list.status;
        if (!add_piece(out, &list))
            hn_buffer_printf(
                out, "%zu were skipped or not finished; the list is left out for its size.\n\n",
                count);
    }
    hn_buffer_finish(&piece);
}

static void add_link(struct hn_buffer *out, const char *link)
{
    if (!link)
        return;
    hn_buffer_puts(out, "<a href=\"");
    rp_markup_text(out, link, RP_ONE_LINE, TITLE_MOST * 4);
    hn_buffer_puts(out, "\">The whole report</a>\n\n");
}

int rp_render_markdown(const struct rp_run *const *runs, size_t count,
                       const struct rp_options *options, struct hn_buffer *out)
{
    int status = HN_OK;
    for (size_t i = 0; i < count; i++) {
        add_headline(out, runs[i]);
        add_matrix(out, runs[i]);
    }
    for (size_t i = 0; !status && i < count; i++)
        status = add_troubles(out, runs[i]);
    for (size_t i = 0; i < count; i++)
        add_skips(out, runs[i]);
    add_link(out, options->link);
    return status ? status : out->status;
}
