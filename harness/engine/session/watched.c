/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See watched.h.
 */
#include "watched.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "file.h"
#include "journal.h"
#include "json_fields.h"
#include "run_header.h"

#define LIMIT ((size_t)64 << 20)
#define MOST_NOTES 8

struct operator_row {
    const char *name, *where, *seen, *module, *reproducer, *ran;
    int calls, kinds, compared, wrong;
    double worst;
};
struct watched {
    const char *ended, *signal; /* how the program ended, "" when well; the signal it died of */
    int exit, is_cut_off;
    struct operator_row *rows;
    size_t count;
};

#define ROW(member) offsetof(struct operator_row, member)
static const struct hn_field row_fields[] = {
    HN_ALWAYS("name", HN_FIELD_TEXT, ROW(name)),
    HN_ALWAYS("calls", HN_FIELD_COUNT, ROW(calls)),
    HN_ALWAYS("kinds", HN_FIELD_COUNT, ROW(kinds)),
    HN_ALWAYS("compared", HN_FIELD_COUNT, ROW(compared)),
    HN_ALWAYS("wrong", HN_FIELD_COUNT, ROW(wrong)),
    HN_MAYBE("worst", HN_FIELD_NUMBER, ROW(worst)),
    HN_ALWAYS("where", HN_FIELD_TEXT, ROW(where)),
    HN_ALWAYS("seen", HN_FIELD_TEXT, ROW(seen)),
    HN_ALWAYS("module", HN_FIELD_TEXT, ROW(module)),
    HN_ALWAYS("reproducer", HN_FIELD_TEXT, ROW(reproducer)),
    HN_ALWAYS("ran", HN_FIELD_TEXT, ROW(ran)),
    HN_END_OF_TABLE,
};
#define WATCHED(member) offsetof(struct watched, member)
static const char *const schema[] = {"assay/watch/1"};
static const struct hn_field watched_fields[] = {
    {"schema", HN_FIELD_SCHEMA, .always = 1, .words = schema},
    HN_ALWAYS("ended", HN_FIELD_TEXT, WATCHED(ended)),
    HN_ALWAYS("signal", HN_FIELD_TEXT, WATCHED(signal)),
    HN_ALWAYS("exit", HN_FIELD_COUNT, WATCHED(exit)),
    HN_ALWAYS("cut_off", HN_FIELD_FLAG, WATCHED(is_cut_off)),
    HN_LIST("operators", WATCHED(rows), WATCHED(count), row_fields, struct operator_row, 1),
    HN_END_OF_TABLE,
};

struct writer {
    struct hn_session *session;
    struct hn_journal journal;
    const struct watched *watched;
    size_t totals[HN_VERDICTS];
};

/* Names of checks have no capital letters; no two operators differ by them alone. */
static const char *id_of(struct writer *writer, const struct operator_row *row)
{
    char *id = hn_arena_text(writer->session->arena, "watch.%s", row->name);
    for (char *letter = id; letter && *letter; letter++)
        if (!isdigit((unsigned char)*letter) && *letter != '.')
            *letter =
                (char)(isalpha((unsigned char)*letter) ? tolower((unsigned char)*letter) : '_');
    return id;
}

/* ---- the head ---- */

static int write_head(struct writer *writer)
{
    struct hn_session *session = writer->session;
    const struct watched *watched = writer->watched;
    const struct hn_plan plan = {.contract = session->catalogue->version,
                                 .digest = session->catalogue->digest,
                                 .shard = 1,
                                 .shards = 1};
    const struct hn_run_facts facts = {.plan = &plan,
                                       .profile = session->profile,
                                       .torch = &session->places.torch,
                                       .select = HN_WATCHED_SELECT,
                                       .command = session->asked.command,
                                       .command_count = session->asked.command_count};
    struct hn_record record = {.event = HN_EVENT_RUN};
    char date[HN_CLOCK_DATE_SIZE];
    struct hn_planned *checks = hn_arena_array(session->arena, watched->count + 1, sizeof *checks);
    int status = checks ? HN_OK : hn_error_nomem(&session->error);
    if (status == HN_OK)
        status = hn_run_header_make(&facts, session->arena, &record.run, &session->error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < watched->count; i++) {
        checks[i] = (struct hn_planned){.id = id_of(writer, &watched->rows[i]), .level = HN_MUST};
        if (!checks[i].id)
            return hn_error_nomem(&session->error);
    }
    checks[watched->count] = (struct hn_planned){.id = HN_WATCHED_PROGRAM, .level = HN_MUST};
    hn_clock_date(date, sizeof date);
    record.run.date = date;
    record.run.seed = "0";
    record.run.checks = checks;
    record.run.check_count = watched->count + 1;
    return hn_journal_write(&writer->journal, &record, &session->error);
}

/* ---- the checks ---- */

static int write_end(struct writer *writer, struct hn_end_record *end)
{
    struct hn_record record = {.event = HN_EVENT_START, .start = {.id = end->id, .attempt = 1}};
    const int status = hn_journal_write(&writer->journal, &record, &writer->session->error);
    if (status != HN_OK)
        return status;
    end->attempt = end->final = 1;
    writer->totals[end->verdict]++;
    record = (struct hn_record){.event = HN_EVENT_END, .end = *end};
    return hn_journal_write(&writer->journal, &record, &writer->session->error);
}

static void add_note(struct hn_end_record *end, struct hn_note *notes, const char *key,
                     const char *text)
{
    if (text && *text)
        notes[end->note_count++] = (struct hn_note){key, text};
}

static int write_operator(struct writer *writer, const struct operator_row *row)
{
    struct hn_arena *arena = writer->session->arena;
    struct hn_note notes[MOST_NOTES];
    struct hn_end_record end = {
        .id = id_of(writer, row),
        .verdict = row->wrong      ? HN_FAIL
                   : row->compared ? HN_PASS
                                   : HN_NOTED,
        .demand =
            row->wrong ? "what the operator gives and leaves behind is what the CPU gives" : "",
        .seen = row->seen,
        .subject = row->name,
        .location = row->where,
        .findings = row->wrong,
        .notes = notes};
    add_note(&end, notes, "calls",
             hn_arena_text(arena, "%d of %d kinds, %d compared, %d wrong", row->calls, row->kinds,
                           row->compared, row->wrong));
    if (row->compared)
        add_note(&end, notes, "worst error beside the largest number",
                 hn_arena_text(arena, "%.3g", row->worst));
    add_note(&end, notes, "ran as", row->ran);
    add_note(&end, notes, "module", row->module);
    add_note(&end, notes, "reproducer", row->reproducer);
    return write_end(writer, &end);
}

/* A signal by which somebody stopped it says nothing of it; any other one is a crash. */
static int write_program(struct writer *writer)
{
    const struct watched *watched = writer->watched;
    struct hn_end_record end = {.id = HN_WATCHED_PROGRAM,
                                .verdict = watched->is_cut_off ? HN_INCOMPLETE
                                           : *watched->signal  ? HN_CRASH
                                           : *watched->ended   ? HN_BROKEN
                                                               : HN_PASS,
                                .reason = watched->ended,
                                .signal = watched->signal,
                                .status = *watched->signal ? 0 : watched->exit};
    return write_end(writer, &end);
}

static int write_all(struct writer *writer)
{
    const struct watched *watched = writer->watched;
    struct hn_record finish = {.event = HN_EVENT_FINISH};
    int status = write_head(writer);
    for (size_t i = 0; status == HN_OK && i < watched->count; i++)
        status = write_operator(writer, &watched->rows[i]);
    if (status == HN_OK)
        status = write_program(writer);
    if (status != HN_OK)
        return status;
    finish.finish.complete = !watched->is_cut_off;
    finish.finish.why = watched->is_cut_off ? watched->ended : "";
    memcpy(finish.finish.totals, writer->totals, sizeof writer->totals);
    return hn_journal_write(&writer->journal, &finish, &writer->session->error);
}

static int status_of(const struct writer *writer)
{
    size_t compared = 0;
    for (size_t i = 0; i < writer->watched->count; i++)
        compared += (size_t)writer->watched->rows[i].compared;
    if (writer->totals[HN_FAIL] || writer->totals[HN_CRASH])
        return HN_EXIT_FAILED;
    return *writer->watched->ended || !compared ? HN_EXIT_UNDECIDED : HN_EXIT_OK;
}

int hn_watched_write(struct hn_session *session, int *exit_status)
{
    static const struct hn_json_limits limits = {LIMIT, 8};
    char path[HN_PATH_SIZE], journal[HN_PATH_SIZE];
    struct watched watched = {0};
    struct writer writer = {.session = session, .journal = {.file = -1}, .watched = &watched};
    struct hn_error *error = &session->error;
    int status = hn_path_join(path, sizeof path, session->folder, HN_WATCHED_FILE, error);
    if (status == HN_OK)
        status = hn_path_join(journal, sizeof journal, session->folder, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status =
            hn_fields_read_file(path, &limits, watched_fields, &watched, session->arena, error);
    if (status == HN_OK)
        status = hn_journal_create(&writer.journal, journal, error);
    if (status == HN_OK)
        status = write_all(&writer);
    hn_journal_close(&writer.journal);
    if (status == HN_OK)
        *exit_status = status_of(&writer);
    else
        hn_findings_add_error(&session->findings, error);
    return status;
}
