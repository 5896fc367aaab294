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

#define FACT(member) offsetof(struct rp_fact, member)
const struct hn_field rp_fact_fields[] = {
    HN_ALWAYS("kind", HN_FIELD_TEXT, FACT(kind)),
    HN_ALWAYS("name", HN_FIELD_TEXT, FACT(name)),
    HN_ALWAYS("verdict", HN_FIELD_TEXT, FACT(verdict)),
    HN_MAYBE("level", HN_FIELD_TEXT, FACT(level)),
    HN_MAYBE("covers", HN_FIELD_TEXT, FACT(covers)),
    HN_MAYBE("cause", HN_FIELD_TEXT, FACT(cause)),
    HN_MAYBE("seen", HN_FIELD_TEXT, FACT(seen)),
    HN_END_OF_TABLE,
};
#define NIGHT(member) offsetof(struct rp_night, member)
const struct hn_field rp_night_fields[] = {
    HN_ALWAYS("target", HN_FIELD_TEXT, NIGHT(target)),
    HN_ALWAYS("release", HN_FIELD_TEXT, NIGHT(release)),
    HN_ALWAYS("asked", HN_FIELD_TEXT, NIGHT(asked)),
    HN_ALWAYS("date", HN_FIELD_TEXT, NIGHT(date)),
    HN_ALWAYS("torch", HN_FIELD_TEXT, NIGHT(torch)),
    HN_ALWAYS("git", HN_FIELD_TEXT, NIGHT(git)),
    HN_ALWAYS("backend", HN_FIELD_TEXT, NIGHT(backend)),
    HN_ALWAYS("contract", HN_FIELD_COUNT, NIGHT(contract)),
    HN_ALWAYS("digest", HN_FIELD_TEXT, NIGHT(digest)),
    HN_ALWAYS("state", HN_FIELD_TEXT, NIGHT(state)),
    HN_ALWAYS("must_kept", HN_FIELD_COUNT, NIGHT(kept)),
    HN_ALWAYS("must_total", HN_FIELD_COUNT, NIGHT(total)),
    HN_ALWAYS("must_promised", HN_FIELD_COUNT, NIGHT(promised)),
    HN_ALWAYS("whole", HN_FIELD_FLAG, NIGHT(whole)),
    HN_END_OF_TABLE,
};

static int write_line(void *context, const struct rp_step *step, struct hn_error *error)
{
    struct exporting *exporting = context;
    struct hn_json_writer writer;
    struct rp_fact words;
    int status = HN_OK;

    hn_buffer_clear(&exporting->line);
    hn_write_begin(&writer, &exporting->line, 0);
    hn_write_object(&writer, NULL);
    hn_write_text(&writer, "schema", RP_LINE_SCHEMA);
    hn_fields_write(&writer, rp_night_fields, &step->night);
    hn_write_text(&writer, "after", step->before);
    hn_write_array(&writer, "changes");
    for (size_t i = 0; i < step->changed_count; i++) {
        const int64_t fact = step->changed[i];
        status =
            rp_record_words(exporting->history, fact, rp_map_get(step->says, fact), &words, error);
        if (status)
            break;
        hn_write_object(&writer, NULL);
        hn_fields_write(&writer, rp_fact_fields, &words);
        hn_write_object_end(&writer);
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
