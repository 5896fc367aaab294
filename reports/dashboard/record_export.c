/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A history as JSON lines: one for each run, with what differs from the run before of its series.
 * Schema assay/history-run/1 (reports/schema/history-run.schema.json). See history.h.
 */
#include "history_file.h"
#include "json_write.h"

#define LINE_LIMIT ((size_t)64 << 20)

struct exporting {
    struct rp_history *history;
    FILE *out;
    struct hn_buffer line;
};

static void write_if_said(struct hn_json_writer *writer, const char *key, const char *text)
{
    if (*text)
        hn_write_text(writer, key, text);
}

static void write_night(struct hn_json_writer *writer, const struct rp_step *step)
{
    const struct rp_night *night = &step->night;

    hn_write_text(writer, "schema", RP_LINE_SCHEMA);
    hn_write_text(writer, "target", night->target);
    hn_write_text(writer, "release", night->release);
    hn_write_text(writer, "asked", night->asked);
    hn_write_text(writer, "date", night->date);
    hn_write_text(writer, "torch", night->torch);
    hn_write_text(writer, "git", night->git);
    hn_write_text(writer, "backend", night->backend);
    hn_write_integer(writer, "contract", night->contract);
    hn_write_text(writer, "digest", night->digest);
    hn_write_text(writer, "state", night->state);
    hn_write_integer(writer, "must_kept", night->kept);
    hn_write_integer(writer, "must_total", night->total);
    hn_write_integer(writer, "must_promised", night->promised);
    hn_write_boolean(writer, "whole", night->whole != 0);
    hn_write_text(writer, "after", step->before);
}

static void write_change(struct hn_json_writer *writer, const struct rp_fact *fact)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "kind", fact->kind);
    hn_write_text(writer, "name", fact->name);
    hn_write_text(writer, "verdict", fact->verdict);
    write_if_said(writer, "level", fact->level);
    write_if_said(writer, "covers", fact->covers);
    write_if_said(writer, "cause", fact->cause);
    write_if_said(writer, "seen", fact->seen);
    hn_write_object_end(writer);
}

static int write_line(void *context, const struct rp_step *step, struct hn_error *error)
{
    struct exporting *exporting = context;
    struct hn_json_writer writer;
    struct rp_fact words;
    int status = HN_OK;

    hn_buffer_clear(&exporting->line);
    hn_write_begin(&writer, &exporting->line, 0);
    hn_write_object(&writer, NULL);
    write_night(&writer, step);
    hn_write_array(&writer, "changes");
    for (size_t i = 0; !status && i < step->changed_count; i++) {
        const int64_t fact = step->changed[i];
        status =
            rp_record_words(exporting->history, fact, rp_map_get(step->says, fact), &words, error);
        if (!status)
            write_change(&writer, &words);
    }
    hn_write_array_end(&writer);
    hn_write_object_end(&writer);
    if (status)
        return status;
    if (hn_write_end(&writer))
        return hn_buffer_complain(exporting->line.status, "a line of the history", error);
    hn_buffer_putc(&exporting->line, '\n');
    if (fwrite(exporting->line.text, 1, exporting->line.length, exporting->out) !=
        exporting->line.length)
        return hn_error_errno(error, "cannot write the export");
    return HN_OK;
}

int rp_history_export(struct rp_history *history, FILE *out, struct hn_error *error)
{
    struct exporting exporting = {.history = history, .out = out};

    hn_buffer_init(&exporting.line, LINE_LIMIT);
    int status = rp_record_walk(history, write_line, &exporting, error);
    if (!status && fflush(out))
        status = hn_error_errno(error, "cannot write the export");
    hn_buffer_finish(&exporting.line);
    return status;
}
