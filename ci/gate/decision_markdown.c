/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the decision for people, as Markdown of GitHub. Called by cmd_gate.c. All text that may
 * come from a run must be written by ci_markdown() or ci_code().
 */
#include <stdio.h>
#include <string.h>

#include "clean_text.h"
#include "decision_write.h"

#define IDS_MAX 30
#define TOLD_MAX 3
#define PIECE_LIMIT ((size_t)20000)

static const char *const headings[CI_KINDS] = {
    [CI_PR] = "Caused by this pull request",
    [CI_BASE] = "Already broken on base",
    [CI_ADAPTATION] = "Backends must adapt",
    [CI_HARNESS] = "Harness or environment could not decide",
};

static void write_ids(struct hn_buffer *out, const struct ci_cause *cause)
{
    if (cause->check_count <= TOLD_MAX)
        return;
    hn_buffer_puts(out, "\n  <details><summary>all checks</summary>\n\n  ");
    for (size_t i = 0; i < cause->check_count && i < IDS_MAX; i++)
        hn_buffer_printf(out, "%s`%s`", i ? ", " : "", cause->checks[i]);
    if (cause->check_count > IDS_MAX)
        hn_buffer_printf(out, " and %zu more, all of them in decision.json",
                         cause->check_count - IDS_MAX);
    hn_buffer_puts(out, "\n\n  </details>");
}

/* Writes a sentence of our own contract. Only the characters of Markdown are escaped. */
static void write_own(struct hn_buffer *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    hn_buffer_puts(out, label);
    for (; *text; text++)
        if (*text == '\n')
            hn_buffer_putc(out, ' ');
        else
            hn_buffer_printf(out, strchr("<*_[]|`\\", *text) ? "\\%c" : "%c", *text);
}

/* Writes the failure, the observation, the consequence for a user, and one command to try. */
static void write_told(struct hn_buffer *out, const struct ci_cause *cause,
                       const struct ci_told *told)
{
    hn_buffer_printf(out, "\n  - `%s` %s", told->id,
                     told->verdict ? told->verdict : "is not in the run");
    if (told->clause) {
        hn_buffer_puts(out, ", by clause ");
        ci_code(out, told->clause);
    }
    if (told->subject == HN_CORE)
        hn_buffer_puts(out, " (it tests PyTorch, not a backend)");
    write_own(out, ": ", told->demand);
    if (told->seen) {
        hn_buffer_puts(out, "\n    seen: ");
        ci_code(out, told->seen);
    }
    if (told->root)
        hn_buffer_printf(out, "\n    its cause is `%s`", told->root);
    write_own(out, "\n    why: ", told->why);
    if (cause->option)
        hn_buffer_printf(out, "\n    try: `assay repro %s --target %s`", told->id, cause->option);
}

static void write_words(struct hn_buffer *out, const struct ci_cause *cause)
{
    if (!cause->told_count) {
        ci_markdown(out, cause->text);
        return;
    }
    hn_buffer_puts(out, ci_rules[cause->rule].text);
    if (cause->interface_name) {
        hn_buffer_puts(out, " Interface: ");
        ci_code(out, cause->interface_name);
        hn_buffer_putc(out, '.');
    }
    for (size_t i = 0; i < cause->told_count && i < TOLD_MAX; i++)
        write_told(out, cause, &cause->told[i]);
}

static void write_cause(struct hn_buffer *out, const struct ci_result *result,
                        const struct ci_cause *cause)
{
    hn_buffer_printf(out, "- **%s**", ci_decision_names[cause->decides]);
    if (result->target_count > 1 && cause->target) {
        hn_buffer_puts(out, " (");
        ci_markdown(out, cause->target);
        hn_buffer_putc(out, ')');
    }
    hn_buffer_puts(out, ": ");
    write_words(out, cause);
    write_ids(out, cause);
    hn_buffer_putc(out, '\n');
}

/* A piece that does not fit is left out as a whole, so that the text stays well-formed. */
static size_t add_piece(struct hn_buffer *out, struct hn_buffer *piece)
{
    const int fits = !piece->status && out->length + piece->length + 200 < CI_MARKDOWN_LIMIT;
    if (fits)
        hn_buffer_add(out, piece->text, piece->length);
    hn_buffer_clear(piece);
    return !fits;
}

static size_t write_kind(struct hn_buffer *out, const struct ci_result *result, enum ci_kind kind)
{
    struct hn_buffer piece;
    size_t left_out = 0, shown = 0;
    hn_buffer_init(&piece, PIECE_LIMIT);
    for (size_t i = 0; i < result->cause_count; i++) {
        if (ci_rules[result->causes[i].rule].kind != kind)
            continue;
        if (!shown++)
            hn_buffer_printf(out, "\n### %s\n\n", headings[kind]);
        write_cause(&piece, result, &result->causes[i]);
        left_out += add_piece(out, &piece);
    }
    hn_buffer_finish(&piece);
    return left_out;
}

static size_t write_warnings(struct hn_buffer *out, const struct ci_result *result)
{
    struct hn_buffer piece;
    size_t left_out = 0;
    hn_buffer_init(&piece, PIECE_LIMIT);
    if (result->warning_count)
        hn_buffer_puts(out, "\n### Remarks that decide nothing\n\n");
    for (size_t i = 0; i < result->warning_count; i++) {
        hn_buffer_puts(&piece, "- ");
        ci_markdown(&piece, result->warnings[i].text);
        hn_buffer_putc(&piece, '\n');
        left_out += add_piece(out, &piece);
    }
    hn_buffer_finish(&piece);
    return left_out;
}

static void write_labels(struct hn_buffer *out, const struct ci_policy *policy,
                         const struct ci_result *result)
{
    if (result->add_label)
        hn_buffer_printf(out, "\nLabel set: `%s`\n", policy->label_adaptation);
    if (result->decision != CI_PASS && !result->overridden)
        hn_buffer_printf(out, "\nA maintainer may override this with the label `%s`.\n",
                         policy->label_override);
    if (result->suggest_hint)
        hn_buffer_printf(out, "\nPeople who follow `%s` may want to see this.\n",
                         policy->label_hint);
}

static void write_targets(struct hn_buffer *out, const struct ci_result *result)
{
    static const enum ci_counter shown[] = {
        CI_COUNT_CHECKS,        CI_COUNT_GOOD,       CI_COUNT_REGRESSED, CI_COUNT_LOST,
        CI_COUNT_BROKEN_BEFORE, CI_COUNT_EXPECTED,   CI_COUNT_FIXED,     CI_COUNT_FLAKY,
        CI_COUNT_UNDECIDED,     CI_COUNT_ADAPTATION,
    };
    const size_t columns = sizeof shown / sizeof *shown;
    hn_buffer_puts(out, "\n| target | decision |");
    for (size_t i = 0; i < columns; i++)
        hn_buffer_printf(out, " %s |", ci_counter_names[shown[i]]);
    hn_buffer_puts(out, "\n|---|---|");
    for (size_t i = 0; i < columns; i++)
        hn_buffer_puts(out, "--:|");
    hn_buffer_putc(out, '\n');
    for (size_t i = 0; i < result->target_count; i++) {
        const struct ci_target_decision *target = &result->targets[i];
        hn_buffer_puts(out, "| ");
        ci_markdown(out, target->target[0] ? target->target : "?");
        hn_buffer_printf(out, " | %s |", ci_decision_names[target->decision]);
        for (size_t j = 0; j < columns; j++)
            hn_buffer_printf(out, " %zu |", target->counts.of[shown[j]]);
        hn_buffer_putc(out, '\n');
    }
}

int ci_decision_markdown(const struct ci_policy *policy, const struct ci_result *result,
                         struct hn_buffer *out)
{
    size_t left_out = 0;
    hn_buffer_printf(out, "## PrivateUse1 backends: %s%s\n\n", ci_decision_names[result->decision],
                     result->overridden ? " (overridden by a label)" : "");
    ci_markdown(out, result->summary);
    hn_buffer_putc(out, '\n');
    write_targets(out, result);
    write_labels(out, policy, result);
    for (int kind = 0; kind < CI_KINDS; kind++)
        left_out += write_kind(out, result, (enum ci_kind)kind);
    left_out += write_warnings(out, result);
    if (left_out)
        hn_buffer_printf(out, "\n%zu more did not fit; all of it is in decision.json.\n", left_out);
    return out->status;
}
