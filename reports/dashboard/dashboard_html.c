/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dashboard as a page: target x torch with the state of the newest run, then every change of
 * each pair, newest first. See dashboard.h.
 */
#include <stdlib.h>
#include <string.h>

#include "dashboard.h"
#include "plain_page.h"

#define CHANGES_MAX 50 /* of a pair */
#define MARKS_MAX 5    /* of a change */

static const char *const classes[RP_STATES] = {[RP_COMPATIBLE] = "pass",
                                               [RP_BREAKS] = "fail",
                                               [RP_UNDECIDED] = "broken",
                                               [RP_PARTIAL] = "skip"};

/* "2026-11-21" of a date with a time. */
static void put_day(struct hn_buffer *out, const char *date)
{
    char day[11] = "";

    memcpy(day, date, strnlen(date, 10));
    rp_html_text(out, day);
}

static void put_state(struct hn_buffer *out, enum rp_state state)
{
    hn_buffer_printf(out, "<span class=\"v %s\">%s</span>", classes[state], rp_state_names[state]);
}

/* ---- target x torch --------------------------------------------------------------------------
 */

/* 2.9 before 2.13; what is no number, by its text. */
static int compare_releases(const void *a, const void *b)
{
    const char *first = *(const char *const *)a, *second = *(const char *const *)b;
    char *rest_of_first, *rest_of_second;
    const long majors[] = {strtol(first, &rest_of_first, 10), strtol(second, &rest_of_second, 10)};

    if (majors[0] != majors[1])
        return majors[0] < majors[1] ? -1 : 1;
    if (*rest_of_first == '.' && *rest_of_second == '.') {
        const long minors[] = {strtol(rest_of_first + 1, NULL, 10),
                               strtol(rest_of_second + 1, NULL, 10)};
        if (minors[0] != minors[1])
            return minors[0] < minors[1] ? -1 : 1;
    }
    return strcmp(first, second);
}

/* Every release of torch once, in order; one more place for a NULL. */
static const char **releases(const struct rp_past *past, size_t *count)
{
    const char **columns = calloc(past->count + 2, sizeof *columns);

    *count = 0;
    for (size_t i = 0; columns && i < past->count; i++)
        columns[i] = past->runs[i].release;
    if (!columns || !past->count)
        return columns;
    qsort(columns, past->count, sizeof *columns, compare_releases);
    for (size_t i = 0; i < past->count; i++)
        if (i == 0 || strcmp(columns[i], columns[*count - 1]) != 0)
            columns[(*count)++] = columns[i];
    columns[*count] = NULL;
    return columns;
}

/* A run of the whole contract says more than a newer one of a part. */
static int says_more(const struct rp_past_run *run, const struct rp_past_run *other)
{
    if (!*run->asked != !*other->asked)
        return !*run->asked;
    return strcmp(run->date, other->date) >= 0;
}

/* The newest run of a pair among those from `from` on that have its target, or NULL. */
static const struct rp_past_run *newest(const struct rp_past *past, size_t from,
                                        const char *release)
{
    const struct rp_past_run *found = NULL;

    for (size_t i = from; i < past->count; i++) {
        if (strcmp(past->runs[i].target, past->runs[from].target) != 0)
            break;
        if (strcmp(past->runs[i].release, release) == 0 &&
            (!found || says_more(&past->runs[i], found)))
            found = &past->runs[i];
    }
    return found;
}

static void put_cell(struct hn_buffer *out, const struct rp_past *past,
                     const struct rp_past_run *run)
{
    if (!run) {
        hn_buffer_puts(out, "<td class=\"cell nothing\">never run</td>");
        return;
    }
    hn_buffer_printf(out, "<td class=\"cell %s\">%s<br><small>%zu/%zu musts, since ",
                     classes[run->state], rp_state_names[run->state], run->kept, run->all);
    put_day(out, past->runs[run->since].date);
    hn_buffer_puts(out, "</small></td>");
}

static int put_matrix(struct hn_buffer *out, const struct rp_past *past)
{
    size_t count;
    const char **columns = releases(past, &count);

    if (!columns)
        return HN_ENOMEM;
    memmove(columns + 1, columns, (count + 1) * sizeof *columns);
    columns[0] = "Target";
    rp_plain_table_open(out, "matrix", "Who is compatible with what",
                        "Targets x releases of torch: the newest run, and since when it is so.",
                        columns);
    for (size_t i = 0; i < past->count; i++) {
        if (i && strcmp(past->runs[i].target, past->runs[i - 1].target) == 0)
            continue;
        hn_buffer_puts(out, "<tr><th scope=\"row\">");
        rp_html_text(out, past->runs[i].target);
        hn_buffer_puts(out, "</th>");
        for (size_t column = 1; column <= count; column++)
            put_cell(out, past, newest(past, i, columns[column]));
        hn_buffer_puts(out, "</tr>\n");
    }
    rp_plain_table_close(out);
    free(columns);
    return HN_OK;
}

/* ---- what changed when -----------------------------------------------------------------------
 */

static size_t count_fresh(const struct rp_past_run *run)
{
    size_t count = 0;

    for (size_t i = 0; i < run->mark_count; i++)
        count += run->marks[i].fresh != 0;
    return count;
}

static int is_change(const struct rp_past *past, size_t index)
{
    const struct rp_past_run *run = &past->runs[index];

    return index == 0 || !rp_past_is_row(run, run - 1) || run->state != run[-1].state ||
           count_fresh(run) > 0 || run->mark_count != run[-1].mark_count;
}

static void put_marks(struct hn_buffer *out, const struct rp_past_run *run)
{
    size_t shown = 0;
    const size_t fresh = count_fresh(run);

    for (size_t i = 0; i < run->mark_count && shown < MARKS_MAX; i++) {
        const struct rp_mark *mark = &run->marks[i];
        if (!mark->fresh)
            continue;
        hn_buffer_puts(out, shown++ ? "<br>" : "");
        rp_html_verdict(out, mark->verdict);
        hn_buffer_puts(out, " <code>");
        rp_html_text(out, mark->check);
        hn_buffer_printf(out, "</code> %s: ", hn_level_names[mark->level]);
        rp_html_text(out, mark->seen);
    }
    if (fresh > shown)
        hn_buffer_printf(out, "<br>and %zu more", fresh - shown);
    if (!fresh)
        hn_buffer_printf(out, "<span class=\"nothing\">%s</span>",
                         run->mark_count ? "nothing new; something was mended" : "nothing");
}

static void put_asked(struct hn_buffer *out, const struct rp_past_run *run)
{
    if (!*run->asked)
        return;
    hn_buffer_puts(out, "<br><small>asked: ");
    rp_html_text(out, run->asked);
    hn_buffer_puts(out, "</small>");
}

static void put_change(struct hn_buffer *out, const struct rp_past *past, size_t index)
{
    const struct rp_past_run *run = &past->runs[index];

    hn_buffer_puts(out, "<tr><th scope=\"row\">");
    rp_html_text(out, run->target);
    hn_buffer_puts(out, "</th><td>");
    rp_html_text(out, run->torch);
    hn_buffer_puts(out, "<br><code>");
    if (index && rp_past_is_row(run, run - 1) && strcmp(run->git, run[-1].git) != 0) {
        rp_html_text(out, run[-1].git);
        hn_buffer_puts(out, "..");
    }
    rp_html_text(out, run->git);
    hn_buffer_puts(out, "</code>");
    put_asked(out, run);
    hn_buffer_puts(out, "</td><td>");
    put_day(out, run->date);
    hn_buffer_puts(out, "</td><td>");
    put_state(out, run->state);
    hn_buffer_printf(out, "</td><td class=\"number\">%zu/%zu</td><td>", run->kept, run->all);
    put_marks(out, run);
    hn_buffer_puts(out, "</td></tr>\n");
}

static void put_changes(struct hn_buffer *out, const struct rp_past *past)
{
    static const char *const columns[] = {
        "Target", "Torch", "Date", "State", "Musts", "What began to fail", NULL};
    size_t shown = 0;

    rp_plain_table_open(out, "changes", "What changed when",
                        "Runs that differ from the one before, newest first. What broke it lies "
                        "between the two revisions.",
                        columns);
    for (size_t i = past->count; i-- > 0;) {
        if (i + 1 == past->count || !rp_past_is_row(&past->runs[i], &past->runs[i + 1]))
            shown = 0;
        if (is_change(past, i) && shown++ < CHANGES_MAX)
            put_change(out, past, i);
    }
    rp_plain_table_close(out);
}

int rp_dashboard_html(const struct rp_past *past, struct hn_buffer *out)
{
    struct rp_plain_page page;

    rp_plain_page_init(&page, "Compatibility");
    hn_buffer_printf(&page.head, "<p class=\"note\">%zu runs</p>\n", past->count);
    int status = put_matrix(&page.body, past);
    put_changes(&page.body, past);
    if (!status)
        status = rp_plain_page_write(&page, out);
    rp_plain_page_finish(&page);
    return status;
}
