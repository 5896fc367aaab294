/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Live progress of a run. Called by the supervisor; foreign text goes through the terminal filter.
 */
#include "progress.h"

#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "terminal.h"

#define REDRAW_NS 100000000 /* ten times a second */

void hn_progress_init(struct hn_progress *progress, FILE *out, int plain, size_t total)
{
    *progress = (struct hn_progress){.out = out, .total = total, .start_ns = hn_clock_now_ns()};
    progress->terminal = out && !plain && isatty(fileno(out));
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
    fputs(clean.text ? clean.text : "", out);
    hn_buffer_finish(&clean);
}

static void print_counts(const struct hn_progress *progress)
{
    fprintf(progress->out, "%zu/%zu", progress->done, progress->total);
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (progress->totals[i])
            fprintf(progress->out, "  %zu %s", progress->totals[i], hn_verdict_table[i].name);
}

static void print_time(FILE *out, const char *word, int64_t seconds)
{
    fprintf(out, "  %s%02lld:%02lld", word, (long long)(seconds / 60), (long long)(seconds % 60));
}

static void redraw(struct hn_progress *progress)
{
    const int64_t now = hn_clock_now_ns();
    if (now - progress->shown_ns < REDRAW_NS && progress->done < progress->total)
        return;
    progress->shown_ns = now;
    const int64_t spent = now - progress->start_ns;
    const int64_t left =
        spent / (int64_t)progress->done * (int64_t)(progress->total - progress->done);
    clear_line(progress);
    print_counts(progress);
    print_time(progress->out, "", spent / 1000000000);
    print_time(progress->out, "left ", left / 1000000000);
    progress->line_is_open = 1;
    fflush(progress->out);
}

/* Elsewhere than on a terminal: a line each time another tenth is done. */
static void print_tenth(struct hn_progress *progress)
{
    const size_t tenth = progress->done * 10 / progress->total;
    if (tenth == progress->tenth)
        return;
    progress->tenth = tenth;
    print_counts(progress);
    print_time(progress->out, "", (hn_clock_now_ns() - progress->start_ns) / 1000000000);
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
    if (!progress->out)
        return;
    if (is_worth_a_line(outcome->verdict)) {
        clear_line(progress);
        fprintf(progress->out, "%-10s %-40s ", hn_verdict_table[outcome->verdict].name,
                task->check->id);
        print_filtered(progress->out, outcome->reason);
        fputc('\n', progress->out);
    }
    if (progress->terminal)
        redraw(progress);
    else
        print_tenth(progress);
}

void hn_progress_say(struct hn_progress *progress, const char *text)
{
    if (!progress->out)
        return;
    clear_line(progress);
    print_filtered(progress->out, text);
    fputc('\n', progress->out);
    fflush(progress->out);
}

void hn_progress_finish(struct hn_progress *progress)
{
    if (progress->line_is_open)
        fputc('\n', progress->out);
    progress->line_is_open = 0;
}
