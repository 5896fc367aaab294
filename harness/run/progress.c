/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints live progress of a run. Called by the supervisor. Untrusted text goes through the terminal
 * filter.
 */
#include "progress.h"

#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "colour.h"
#include "terminal.h"

#define REDRAW_NS 100000000 /* ten times a second */
#define SECOND_NS 1000000000

void hn_progress_init(struct hn_progress *progress, FILE *out, int plain, size_t total)
{
    *progress = (struct hn_progress){
        .out = out, .total = total, .start_ns = hn_clock_now_ns(), .under_way = ""};
    progress->terminal = out && !plain && isatty(fileno(out));
}

void hn_progress_wait(struct hn_progress *progress, FILE *out, int plain, const char *label)
{
    hn_progress_init(progress, out, plain, 0);
    progress->label = label;
}

static void clear_line(struct hn_progress *progress)
{
    if (progress->line_is_open)
        fputs("\r\x1b[K", progress->out);
    progress->line_is_open = 0;
}

static void print_filtered(FILE *out, const char *text)
{
    struct hn_buffer clean;
    hn_buffer_init(&clean, 16384);
    hn_terminal_filter(&clean, text, strcspn(text, "\n"));
    fputs(clean.text, out);
    hn_buffer_finish(&clean);
}

static void print_counts(const struct hn_progress *progress)
{
    fprintf(progress->out, "%zu/%zu", progress->done, progress->total);
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (progress->totals[i])
            fprintf(progress->out, "  %s%zu %s%s", hn_colour(progress->colour, (enum hn_verdict)i),
                    progress->totals[i], hn_verdict_table[i].name, hn_colour_end(progress->colour));
}

static void print_time(FILE *out, const char *word, int64_t seconds)
{
    fprintf(out, "  %s%02lld:%02lld", word, (long long)(seconds / 60), (long long)(seconds % 60));
}

static void print_left(const struct hn_progress *progress, int64_t spent)
{
    const size_t left = progress->total - progress->done;
    if (progress->done)
        print_time(progress->out, "left ",
                   spent / (int64_t)progress->done * (int64_t)left / SECOND_NS);
}

static void redraw(struct hn_progress *progress)
{
    const int64_t now = hn_clock_now_ns(), spent = now - progress->start_ns;
    progress->shown_ns = now;
    clear_line(progress);
    if (progress->label)
        fputs(progress->label, progress->out);
    else
        print_counts(progress);
    print_time(progress->out, "", spent / SECOND_NS);
    if (!progress->label)
        print_left(progress, spent);
    if (!progress->label && *progress->under_way)
        fprintf(progress->out, "  %s", progress->under_way);
    progress->line_is_open = 1;
    fflush(progress->out);
}

static int was_just_shown(const struct hn_progress *progress)
{
    return hn_clock_now_ns() - progress->shown_ns < REDRAW_NS && progress->done < progress->total;
}

void hn_progress_tick(struct hn_progress *progress, const char *under_way)
{
    progress->under_way = under_way;
    if (progress->terminal)
        redraw(progress);
}

/* If the output is not a terminal, prints a line after each tenth of the run. */
static void print_tenth(struct hn_progress *progress)
{
    const size_t tenth = progress->done * 10 / progress->total;
    if (tenth == progress->tenth)
        return;
    progress->tenth = tenth;
    print_counts(progress);
    print_time(progress->out, "", (hn_clock_now_ns() - progress->start_ns) / SECOND_NS);
    fputc('\n', progress->out);
    fflush(progress->out);
}

static int is_worth_a_line(enum hn_verdict verdict)
{
    return hn_verdict_table[verdict].exit_status != 0 || verdict == HN_FLAKY;
}

void hn_progress_verdict(struct hn_progress *progress, const struct hn_task *task,
                         const struct hn_outcome *outcome)
{
    progress->done++;
    progress->totals[outcome->verdict]++;
    if (!progress->out || progress->label)
        return;
    if (!progress->counts_only && is_worth_a_line(outcome->verdict)) {
        clear_line(progress);
        fprintf(progress->out, "%s%-10s%s %-40s ", hn_colour(progress->colour, outcome->verdict),
                hn_verdict_table[outcome->verdict].name, hn_colour_end(progress->colour),
                task->check->id);
        print_filtered(progress->out, outcome->reason);
        fputc('\n', progress->out);
    }
    if (!progress->terminal)
        print_tenth(progress);
    else if (!was_just_shown(progress))
        redraw(progress);
}

void hn_progress_say(struct hn_progress *progress, const char *text)
{
    if (!progress->out || progress->label)
        return;
    clear_line(progress);
    print_filtered(progress->out, text);
    fputc('\n', progress->out);
    fflush(progress->out);
}

void hn_progress_finish(struct hn_progress *progress)
{
    if (progress->line_is_open && progress->label)
        clear_line(progress);
    if (progress->line_is_open)
        fputc('\n', progress->out);
    progress->line_is_open = 0;
}
