/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_text.h.
 */
#include "run_text.h"

#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "output.h"
#include "terminal.h"
#include "verdict.h"

static void print_refusal(const char *text)
{
    fputs("\nthe target cannot be loaded: ", stdout);
    hn_terminal_print(stdout, text);
}

/* The count that was printed before includes these checks. */
static void print_support(const struct hn_run_input *input)
{
    size_t count = 0;
    for (size_t i = 0; i < input->task_count; i++)
        count += (size_t)(input->tasks[i].support != 0);
    if (count)
        printf("(including %zu that they build on)", count);
}

static void print_left(const char *what, size_t count)
{
    if (count)
        printf("\n%zu check%s %s: see assay report", count, count == 1 ? "" : "s", what);
}

static void print_silence(const struct hn_silence *silence)
{
    char words[100];
    hn_silence_words(silence, words, sizeof words);
    if (words[0])
        printf("\nundecided: %s", words);
}

/* A quiet run prints no summary, so this prints the reason for an exit status of 2. */
static void print_undecided(const struct hn_run_input *input, const struct hn_run_summary *summary)
{
    char words[100];
    if (summary->exit_status != HN_EXIT_UNDECIDED)
        return;
    hn_silence_words(&summary->silence, words, sizeof words);
    fputs("assay: undecided: ", stderr);
    if (summary->refusal[0])
        hn_terminal_print(stderr, summary->refusal);
    else if (words[0] || summary->why[0])
        fputs(words[0] ? words : summary->why, stderr);
    else
        fputs("no check that counts failed, and some could not decide", stderr);
    fprintf(stderr, "; see assay report %s\n", input->options.folder);
}

void hn_run_print_summary(const struct hn_run_input *input, const struct hn_run_summary *summary)
{
    if (!input->options.out) {
        print_undecided(input, summary);
        return;
    }
    for (int i = HN_VERDICTS - 1; i >= 0; i--)
        if (summary->totals[i])
            printf("%s%zu %s%s  ", hn_colour(input->options.colour, (enum hn_verdict)i),
                   summary->totals[i], hn_verdict_table[i].name,
                   hn_colour_end(input->options.colour));
    print_support(input);
    print_left("passed and left something changed", summary->left_changed);
    if (summary->refusal[0])
        print_refusal(summary->refusal);
    print_silence(&summary->silence);
    printf("\n%s%s%s\n", input->options.folder,
           summary->complete ? "" : "  incomplete: ", summary->why);
}

struct lasting {
    const char *id;
    int64_t took_us;
};

static int by_time(const void *left, const void *right)
{
    const struct lasting *const a = left, *const b = right;
    if (a->took_us != b->took_us)
        return a->took_us < b->took_us ? 1 : -1;
    return strcmp(a->id, b->id);
}

void hn_run_print_durations(const struct hn_run_input *input, const struct hn_run_summary *summary,
                            size_t most)
{
    struct lasting *const rows = calloc(input->task_count + 1, sizeof *rows);
    if (!rows || !input->options.out || !most) {
        free(rows);
        return;
    }
    for (size_t i = 0; i < input->task_count; i++)
        rows[i] = (struct lasting){input->tasks[i].check->id, summary->took_us[i]};
    qsort(rows, input->task_count, sizeof *rows, by_time);
    puts("longest:");
    for (size_t i = 0; i < most && i < input->task_count && rows[i].took_us; i++)
        printf("  %8.2f s  %s\n", (double)rows[i].took_us / 1e6, rows[i].id);
    free(rows);
}

static void write_decision(struct hn_json_writer *writer, const struct ci_result *decision)
{
    hn_write_text(writer, "decision", ci_decision_names[decision->decision]);
    hn_write_array(writer, "causes");
    for (size_t i = 0; i < decision->cause_count; i++)
        hn_write_text(writer, NULL, decision->causes[i].text);
    hn_write_array_end(writer);
}

int hn_run_print_json(const struct hn_run_input *input, const struct hn_run_summary *summary,
                      const struct ci_result *decision)
{
    struct hn_buffer buffer;
    struct hn_json_writer writer;
    char silence[100];
    hn_output_begin(&writer, &buffer, "assay/run/1");
    hn_write_text(&writer, "run", input->options.folder);
    hn_write_boolean(&writer, "complete", summary->complete);
    if (summary->why[0])
        hn_write_text(&writer, "why", summary->why);
    if (summary->refusal[0])
        hn_write_text(&writer, "refusal", summary->refusal);
    hn_silence_words(&summary->silence, silence, sizeof silence);
    if (silence[0])
        hn_write_text(&writer, "undecided", silence);
    hn_write_integer(&writer, "exit_status",
                     decision ? ci_exit_status(decision) : summary->exit_status);
    if (decision)
        write_decision(&writer, decision);
    hn_write_object(&writer, "totals");
    for (int i = 0; i < HN_VERDICTS; i++)
        if (summary->totals[i])
            hn_write_integer(&writer, hn_verdict_table[i].name, (int64_t)summary->totals[i]);
    hn_write_object_end(&writer);
    return hn_output_end(&writer);
}
