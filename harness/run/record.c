/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns what happened into lines of the journal. See record.h.
 */
#include "record.h"

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "json_write.h"

#define RECORD_LIMIT (64u << 10)

struct record {
    struct hn_buffer buffer;
    struct hn_json_writer writer;
};

static void record_begin(struct record *record, const char *event, size_t limit)
{
    hn_buffer_init(&record->buffer, limit);
    hn_write_begin(&record->writer, &record->buffer, 0);
    hn_write_object(&record->writer, NULL);
    hn_write_text(&record->writer, "event", event);
}

static int record_append(struct record *record, struct hn_journal *journal, struct hn_error *error)
{
    hn_write_object_end(&record->writer);
    int status = hn_write_end(&record->writer);
    if (status != HN_OK)
        status = hn_error_set(error, status, "a record of the journal is too large");
    else
        status = hn_journal_append(journal, record->buffer.text, record->buffer.length, error);
    hn_buffer_finish(&record->buffer);
    return status;
}

static void write_plan(struct hn_json_writer *writer, const struct hn_run_input *input)
{
    static const char *const levels[] = {"must", "should", "may", "advisory"};
    hn_write_array(writer, "checks");
    for (size_t i = 0; i < input->task_count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "id", input->tasks[i].id);
        hn_write_text(writer, "level", levels[input->tasks[i].level]);
        if (input->tasks[i].support)
            hn_write_boolean(writer, "support", 1);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

/* Members that others prepared as JSON text go in front of the closing brace. */
static void splice(struct record *record, const char *members)
{
    if (members && *members)
        hn_buffer_puts(&record->buffer, members);
}

int hn_record_run(struct hn_journal *journal, const struct hn_run_input *input,
                  struct hn_error *error)
{
    struct record record;
    char date[HN_CLOCK_DATE_SIZE], seed[24];
    hn_clock_date(date, sizeof date);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)input->options.seed);
    record_begin(&record, "run", HN_JOURNAL_LINE);
    hn_write_text(&record.writer, "schema", HN_JOURNAL_SCHEMA);
    hn_write_text(&record.writer, "date", date);
    hn_write_text(&record.writer, "seed", seed);
    write_plan(&record.writer, input);
    splice(&record, input->options.header);
    return record_append(&record, journal, error);
}

int hn_record_resume(struct hn_journal *journal, struct hn_error *error)
{
    struct record record;
    char date[HN_CLOCK_DATE_SIZE];
    hn_clock_date(date, sizeof date);
    record_begin(&record, "resume", RECORD_LIMIT);
    hn_write_text(&record.writer, "date", date);
    return record_append(&record, journal, error);
}

int hn_record_isolation(struct hn_journal *journal, const char *mode, const char *why,
                        struct hn_error *error)
{
    struct record record;
    record_begin(&record, "isolation", RECORD_LIMIT);
    hn_write_text(&record.writer, "mode", mode);
    hn_write_text(&record.writer, "why", why);
    return record_append(&record, journal, error);
}

static int record_members(struct hn_journal *journal, const char *event, const char *members,
                          struct hn_error *error)
{
    struct record record;
    record_begin(&record, event, RECORD_LIMIT);
    splice(&record, members);
    return record_append(&record, journal, error);
}

int hn_record_preflight(struct hn_journal *journal, const char *members, struct hn_error *error)
{
    return record_members(journal, "preflight", members, error);
}

int hn_record_target(struct hn_journal *journal, const char *members, struct hn_error *error)
{
    return record_members(journal, "target", members, error);
}

int hn_record_start(struct hn_journal *journal, const char *id, int attempt, struct hn_error *error)
{
    struct record record;
    record_begin(&record, "start", RECORD_LIMIT);
    hn_write_text(&record.writer, "id", id);
    hn_write_integer(&record.writer, "attempt", attempt);
    return record_append(&record, journal, error);
}

static void write_unless_empty(struct hn_json_writer *writer, const char *key, const char *text)
{
    if (text && *text)
        hn_write_text(writer, key, text);
}

static void write_place(struct hn_json_writer *writer, const char *file, int line)
{
    char place[600];
    if (!*file)
        return;
    snprintf(place, sizeof place, line > 0 ? "%s:%d" : "%s", file, line);
    hn_write_text(writer, "location", place);
}

static void write_found(struct record *record, const struct hn_found *found,
                        const struct hn_ending *ending)
{
    struct hn_json_writer *writer = &record->writer;
    write_unless_empty(writer, "demand", found->what);
    write_unless_empty(writer, "seen", found->seen);
    write_unless_empty(writer, "subject", found->subject);
    if (found->file[0])
        write_place(writer, found->file, found->line);
    else
        write_place(writer, ending->mark_file, ending->mark_line);
    if (found->finding_count)
        hn_write_integer(writer, "findings", found->finding_count);
    if (found->notes[0]) {
        hn_write_array(writer, "notes");
        hn_buffer_puts(&record->buffer, found->notes);
        hn_write_array_end(writer);
    }
}

static void write_unless_zero(struct hn_json_writer *writer, const char *key, int64_t value)
{
    if (value)
        hn_write_integer(writer, key, value);
}

static void write_ending(struct hn_json_writer *writer, const struct hn_ending *ending)
{
    char name[40];
    hn_write_number(writer, "duration_ms", (double)ending->duration_us / 1000.0);
    if (ending->goes_on)
        return;
    hn_write_number(writer, "cpu_ms", (double)ending->cpu_us / 1000.0);
    write_unless_zero(writer, "rss_kib", ending->rss_kib);
    if (ending->signal) {
        hn_signal_name(ending->signal, name, sizeof name);
        hn_write_text(writer, "signal", name);
    }
    write_unless_zero(writer, "status", ending->status);
    write_unless_empty(writer, "stage", ending->stage);
    write_unless_zero(writer, "left_behind", ending->left_behind);
    write_unless_zero(writer, "out_bytes", ending->out_bytes);
    write_unless_zero(writer, "err_bytes", ending->err_bytes);
}

int hn_record_end(struct hn_journal *journal, const struct hn_end_record *end,
                  struct hn_error *error)
{
    struct record record;
    struct hn_json_writer *writer = &record.writer;
    record_begin(&record, "end", RECORD_LIMIT);
    hn_write_text(writer, "id", end->task->id);
    hn_write_integer(writer, "attempt", end->attempt);
    hn_write_boolean(writer, "final", end->again == HN_FINAL);
    write_unless_empty(writer, "again", hn_again_names[end->again]);
    hn_write_text(writer, "verdict", hn_verdict_table[end->outcome->verdict].name);
    write_unless_empty(writer, "reason", end->outcome->reason);
    write_unless_empty(writer, "blocked_by", end->blocked_by);
    if (end->found)
        write_found(&record, end->found, end->ending);
    if (end->ending)
        write_ending(writer, end->ending);
    write_unless_empty(writer, "folder", end->folder);
    return record_append(&record, journal, error);
}

int hn_record_finish(struct hn_journal *journal, int complete, const char *why,
                     const size_t *totals, struct hn_error *error)
{
    struct record record;
    record_begin(&record, "finish", RECORD_LIMIT);
    hn_write_boolean(&record.writer, "complete", complete);
    write_unless_empty(&record.writer, "why", why);
    hn_write_object(&record.writer, "totals");
    for (int i = 0; i < HN_VERDICTS; i++)
        if (totals[i])
            hn_write_integer(&record.writer, hn_verdict_table[i].name, (int64_t)totals[i]);
    hn_write_object_end(&record.writer);
    return record_append(&record, journal, error);
}
