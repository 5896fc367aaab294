/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The report for a terminal: header, matrix, failures with their causes first, sums. All text of
 * a run is untrusted and passes the terminal filter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_likely.h"
#include "check_notes.h"
#include "check_story.h"
#include "render_text.h"
#include "run_set.h"
#include "terminal.h"
#include "text_left.h"
#include "text_missing.h"

#define WIDTH 100
#define TEXT_COLUMN 14
#define SEEN_AGAIN 120 /* length of the observation of a failure whose cause was already shown */
#define FIELD_MOST 16384
#define STAGE_SIZE 160

struct page {
    struct hn_buffer *out;
    int colour;
};

/* ---- header ---- */

static void print_header(struct page *page, const struct rp_run *run)
{
    hn_terminal_put(page->out, "target ", run->target[0] ? run->target : "(unnamed)", "");
    if (run->devices)
        hn_buffer_printf(page->out, " (%d device%s)", run->devices, run->devices == 1 ? "" : "s");
    if (run->torch_version[0])
        hn_terminal_put(page->out, "  torch ", run->torch_version, "");
    if (run->contract)
        hn_buffer_printf(page->out, "  contract %d", run->contract);
    if (run->isolation[0])
        hn_terminal_put(page->out, "  ", run->isolation, "");
    if (run->shards > 1)
        hn_buffer_printf(page->out, "  shard %d of %d", run->shard, run->shards);
    if (run->date[0])
        hn_terminal_put(page->out, "  ", run->date, "");
    hn_buffer_putc(page->out, '\n');
}

static void print_doubts(struct page *page, const struct rp_run *run)
{
    for (size_t i = 0; i < run->doubt_count; i++) {
        hn_terminal_put(page->out, "preflight ", run->doubts[i].severity, ": ");
        hn_terminal_put(page->out, "", run->doubts[i].message, "\n");
    }
}

/* ---- the matrix ---- */

/* A column for each verdict that occurs, best first. */
static size_t used_columns(const struct rp_run *run, enum hn_verdict columns[HN_VERDICTS])
{
    size_t count = 0;
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (run->totals[i] || i == HN_PASS)
            columns[count++] = (enum hn_verdict)i;
    return count;
}

static void print_row(struct page *page, const char *name, const size_t totals[HN_VERDICTS],
                      const enum hn_verdict *columns, size_t count)
{
    char cell[64];
    snprintf(cell, sizeof cell, "%.40s", name);
    hn_terminal_puts(page->out, cell);
    hn_buffer_printf(page->out, "%*s", (int)(16 > strlen(cell) ? 16 - strlen(cell) : 1), "");
    for (size_t i = 0; i < count; i++) {
        const int width = (int)strlen(hn_verdict_table[columns[i]].name) + 2;
        if (totals[columns[i]])
            hn_buffer_printf(page->out, "%s%*zu%s", hn_colour(page->colour, columns[i]), width,
                             totals[columns[i]], hn_colour_end(page->colour));
        else
            hn_buffer_printf(page->out, "%*s", width, ".");
    }
    hn_buffer_putc(page->out, '\n');
}

static void print_matrix(struct page *page, const struct rp_run *run)
{
    enum hn_verdict columns[HN_VERDICTS];
    const size_t count = used_columns(run, columns);
    hn_buffer_printf(page->out, "%-16s", "");
    for (size_t i = 0; i < count; i++)
        hn_buffer_printf(page->out, "  %s", hn_verdict_table[columns[i]].name);
    hn_buffer_putc(page->out, '\n');
    for (size_t i = 0; i < run->module_count; i++)
        print_row(page, run->modules[i].name, run->modules[i].totals, columns, count);
    print_row(page, "all", run->totals, columns, count);
}

/* ---- failures ---- */

/* A label and a text that is indented when it wraps. */
static void print_field(struct page *page, const char *label, const char *text)
{
    size_t column = TEXT_COLUMN;
    struct hn_buffer safe;
    if (!text[0])
        return;
    hn_buffer_init(&safe, 16384);
    hn_terminal_puts(&safe, text);
    hn_buffer_printf(page->out, "     %-*s", TEXT_COLUMN - 5, label);
    for (const char *rest = safe.text; *rest;) {
        const size_t word = strcspn(rest, " \n\t");
        if (column > TEXT_COLUMN && column + 1 + word > WIDTH) {
            hn_buffer_printf(page->out, "\n%*s", TEXT_COLUMN, "");
            column = TEXT_COLUMN;
        } else if (column > TEXT_COLUMN) {
            hn_buffer_putc(page->out, ' ');
            column++;
        }
        hn_buffer_add(page->out, rest, word);
        column += word;
        rest += word;
        rest += strspn(rest, " \n\t");
    }
    hn_buffer_putc(page->out, '\n');
    hn_buffer_finish(&safe);
}

static int is_under(const struct rp_check *check, const struct rp_check *cause, int follows)
{
    return check->root == cause && check->follows == follows;
}

static int is_first_of_module(const struct rp_run *run, const struct rp_check *cause, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_under(&run->checks[i], cause, run->checks[index].follows) &&
            strcmp(run->checks[i].module, run->checks[index].module) == 0)
            return 0;
    return 1;
}

/* Prints "blocks 41 checks in guard, streams". */
static void print_under(struct page *page, const struct rp_run *run, const struct rp_check *cause,
                        int follows)
{
    const size_t count = follows ? cause->followers : cause->blocks - cause->followers;
    struct hn_buffer text;
    int modules = 0;
    if (!count)
        return;
    hn_buffer_init(&text, FIELD_MOST);
    hn_buffer_printf(&text, "%zu check%s in ", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < run->check_count; i++)
        if (is_under(&run->checks[i], cause, follows) && is_first_of_module(run, cause, i))
            hn_buffer_printf(&text, "%s%s", modules++ ? ", " : "", run->checks[i].module);
    hn_buffer_puts(&text, !follows     ? " (run them anyway: --no-block)"
                          : count == 1 ? " fails the same way"
                                       : " fail the same way");
    if (modules)
        print_field(page, follows ? "follows" : "blocks", text.text);
    hn_buffer_finish(&text);
}

static void print_title(struct page *page, const struct rp_check *check)
{
    struct hn_buffer *out = page->out, covers;
    hn_buffer_init(&covers, FIELD_MOST);
    for (size_t i = 0; i < check->covers.count; i++)
        hn_buffer_printf(&covers, "%s ", check->covers.items[i]);
    hn_buffer_puts(out, hn_colour(page->colour, check->verdict));
    for (const char *c = hn_verdict_table[check->verdict].name; *c; c++)
        hn_buffer_putc(out, (char)(*c - 'a' + 'A'));
    hn_buffer_puts(out, hn_colour_end(page->colour));
    hn_buffer_putc(out, ' ');
    hn_terminal_puts(page->out, check->id);
    const size_t left = strlen(hn_verdict_table[check->verdict].name) + 1 + strlen(check->id);
    const size_t right = covers.length + strlen(hn_level_names[check->level]);
    hn_buffer_printf(out, "%*s", (int)(left + right + 2 < WIDTH ? WIDTH - left - right : 2), "");
    hn_terminal_puts(page->out, covers.text);
    hn_buffer_finish(&covers);
    hn_buffer_printf(out, "%s\n", hn_level_names[check->level]);
}

/* Returns 1 if the reason only repeats "wanted: seen" or the beginning of that text. The report
 * shows that text above. */
static int says_the_same(const struct rp_check *check)
{
    const size_t length = strlen(check->expected);
    return strncmp(check->reason, check->expected, length) == 0 &&
           strncmp(check->reason + length, ": ", 2) == 0 &&
           strncmp(check->reason + length + 2, check->seen, strlen(check->reason + length + 2)) ==
               0;
}

static void print_words(struct page *page, const char *label, rp_words *words,
                        const struct rp_run *run, const struct rp_check *check)
{
    struct hn_buffer text;
    hn_buffer_init(&text, RP_STORY_LIMIT);
    if (words(run, check, &text) == HN_OK)
        print_field(page, label, text.text);
    hn_buffer_finish(&text);
}

/* Returns the largest length up to SEEN_AGAIN bytes that does not cut a character. */
static int length_of_front(const char *text)
{
    size_t length = strnlen(text, SEEN_AGAIN);
    while (length && (text[length] & 0xC0) == 0x80)
        length--;
    return (int)length;
}

/* Shows the cause of a failure only once. For later failures with the same cause, only the
 * observation and the call are shown. */
static void print_joined(struct page *page, const struct rp_run *run, const struct rp_check *check)
{
    const struct rp_check *cause = check->joined;
    const char *seen = cause->said[0] ? cause->said : cause->seen[0] ? cause->seen : cause->reason;
    const int length = length_of_front(seen);
    char text[FIELD_MOST];
    snprintf(text, sizeof text, "that of %s, which is shown above: %.*s%s", cause->id, length, seen,
             seen[length] ? " ..." : "");
    print_field(page, "demand", rp_check_demand(run, check));
    print_words(page, "disputed", rp_check_disputed, run, check);
    print_field(page, "wanted", check->expected);
    print_field(page, "cause", text);
    print_field(page, "failed", rp_check_failed(check));
    print_words(page, "clauses", rp_check_clauses, run, check);
    print_field(page, "in", check->frames);
    if (strcmp(check->said, seen) != 0)
        print_field(page, "said", check->said);
    for (int follows = 1; follows >= 0; follows--)
        print_under(page, run, check, follows);
    print_words(page, "try", rp_check_repro, run, check);
}

static void print_joined_count(struct page *page, const struct rp_check *check)
{
    char text[120];
    const size_t count = check->joined_count;
    if (!count)
        return;
    snprintf(text, sizeof text, "%zu other check%s that %s told below", count,
             count == 1 ? "" : "s", count == 1 ? "is" : "are");
    print_field(page, "cause of", text);
}

/* Returns 1 if the text contains the place "x.c:9" (not "x.c:95"), or if it is unknown. */
static int names_place(const char *words, const char *place)
{
    const size_t length = strlen(place);
    for (const char *at = words; length && (at = strstr(at, place)) != NULL; at++)
        if (at[length] < '0' || at[length] > '9')
            return 1;
    return !length;
}

static void print_trouble(struct page *page, const struct rp_run *run, const struct rp_check *check)
{
    char seen[4096];
    hn_buffer_putc(page->out, '\n');
    print_title(page, check);
    if (check->joined) {
        print_joined(page, run, check);
        return;
    }
    print_field(page, "demand", rp_check_demand(run, check));
    print_words(page, "disputed", rp_check_disputed, run, check);
    print_field(page, "wanted", check->expected);
    const char *const words = check->seen[0] ? check->seen : check->reason;
    const int says_where = names_place(words, check->location);
    snprintf(seen, sizeof seen, "%s%s%s", words, says_where ? "" : "  at ",
             says_where ? "" : check->location);
    print_field(page, "seen", seen);
    if (check->seen[0] && !says_the_same(check))
        print_field(page, "reason", check->reason);
    print_field(page, "failed", rp_check_failed(check));
    print_words(page, "clauses", rp_check_clauses, run, check);
    print_field(page, "in", check->frames);
    print_field(page, "said", check->said);
    print_words(page, "fallback", rp_check_fallback, run, check);
    print_field(page, "watched", rp_check_watched(check));
    print_field(page, "likely", rp_check_likely(check));
    for (int follows = 1; follows >= 0; follows--)
        print_under(page, run, check, follows);
    print_joined_count(page, check);
    print_words(page, "try", rp_check_repro, run, check);
}

static int print_troubles(struct page *page, const struct rp_run *run)
{
    size_t *indices = calloc(run->check_count + 1, sizeof *indices);
    if (!indices)
        return HN_ENOMEM;
    const size_t count = rp_run_troubles(run, indices);
    for (size_t i = 0; i < count; i++)
        print_trouble(page, run, &run->checks[indices[i]]);
    free(indices);
    return HN_OK;
}

/* ---- sums ---- */

/* "must 118 of 133 kept, 120 asked" */
static void print_level(struct page *page, const struct rp_run *run, enum hn_level level,
                        int *begun)
{
    if (!rp_level_share(run, level).total)
        return;
    hn_buffer_printf(page->out, "%s%s ", (*begun)++ ? "   " : "", hn_level_names[level]);
    rp_level_words(run, level, page->out);
}

static size_t count_checks(const struct rp_run *run)
{
    size_t count = 0;
    for (int i = 0; i < HN_VERDICTS; i++)
        count += run->totals[i];
    return count;
}

/* "disputed: DEV-004 (pass)", also for clauses that hold. */
static void print_disputes(struct page *page, const struct rp_run *run)
{
    struct hn_buffer words;
    hn_buffer_init(&words, FIELD_MOST);
    rp_run_disputed(run, &words);
    if (words.length)
        hn_terminal_put(page->out, "disputed: ", words.text, "\n");
    hn_buffer_finish(&words);
}

static void print_sum(struct page *page, const struct rp_run *run)
{
    int begun = 0;
    char silence[100], stage[STAGE_SIZE];
    hn_buffer_putc(page->out, '\n');
    rp_stage_words(run, stage, sizeof stage);
    if (stage[0])
        hn_terminal_put(page->out, "stage reached: ", stage, "\n");
    for (int level = 0; level < HN_ADVISORY; level++)
        print_level(page, run, (enum hn_level)level, &begun);
    const size_t count = count_checks(run);
    hn_buffer_printf(page->out, "%s%zu check%s: ", begun ? "\n" : "", count, count == 1 ? "" : "s");
    for (int i = 0; i < HN_PASS; i++)
        if (run->totals[i])
            hn_buffer_printf(page->out, "%s%zu %s%s   ",
                             hn_colour(page->colour, (enum hn_verdict)i), run->totals[i],
                             hn_verdict_table[i].name, hn_colour_end(page->colour));
    hn_buffer_printf(page->out, "%zu passed\n", run->totals[HN_PASS]);
    hn_terminal_put(page->out, "", run->loss, run->loss[0] ? "\n" : "");
    hn_silence_words(&run->silence, silence, sizeof silence);
    if (silence[0])
        hn_buffer_printf(page->out, "undecided: %s\n", silence);
    print_disputes(page, run);
    if (run->complete)
        return;
    hn_buffer_puts(page->out, "the run is not complete");
    if (run->why[0])
        hn_terminal_put(page->out, ": ", run->why, "");
    hn_buffer_putc(page->out, '\n');
}

int rp_render_text_one(const struct rp_run *run, int colour, struct hn_buffer *out)
{
    struct page page = {out, colour};
    print_header(&page, run);
    print_doubts(&page, run);
    print_matrix(&page, run);
    int status = print_troubles(&page, run);
    if (!status)
        status = rp_print_missing(out, run);
    rp_print_left(out, run);
    print_sum(&page, run);
    return status ? status : out->status;
}
