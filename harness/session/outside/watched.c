/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See watched.h.
 */
#include "watched.h"

#include <string.h>

#include "file.h"
#include "json_fields.h"
#include "outside_run.h"

#define LIMIT ((size_t)64 << 20)
#define MOST_NOTES 8

struct operator_row {
    const char *name, *where, *seen, *module, *reproducer, *ran;
    const char *died; /* "died": a process ended in it; "stopped": somebody ended it there */
    int calls, kinds, compared, wrong, raised, refused;
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
    HN_ALWAYS("raised", HN_FIELD_COUNT, ROW(raised)),
    HN_ALWAYS("refused", HN_FIELD_COUNT, ROW(refused)),
    HN_ALWAYS("died", HN_FIELD_TEXT, ROW(died)),
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

/* ---- the checks ---- */

static void add_note(struct hn_end_record *end, struct hn_note *notes, const char *key,
                     const char *text)
{
    if (text && *text)
        notes[end->note_count++] = (struct hn_note){key, text};
}

/* Demand that it did not keep; "" where it kept all that was asked. */
static const char *demand_on(const struct operator_row *row)
{
    if (row->wrong)
        return "what the operator gives and leaves behind is what the CPU gives";
    if (!strcmp(row->died, "died"))
        return "the process outlives the operator";
    return row->raised ? "what the CPU takes the device takes, or refuses" : "";
}

static int make_operator(struct hn_session *session, const struct operator_row *row,
                         struct hn_end_record *end)
{
    struct hn_arena *arena = session->arena;
    struct hn_note *notes = hn_arena_array(arena, MOST_NOTES, sizeof *notes);
    const char *demand = demand_on(row);
    *end = (struct hn_end_record){.id = hn_outside_id(arena, "watch", row->name),
                                  .verdict = *demand         ? HN_FAIL
                                             : row->compared ? HN_PASS
                                                             : HN_NOTED,
                                  .demand = demand,
                                  .seen = row->seen,
                                  .subject = row->name,
                                  .location = row->where,
                                  .findings = row->wrong + row->raised + !strcmp(row->died, "died"),
                                  .notes = notes};
    if (!notes || !end->id)
        return hn_error_nomem(&session->error);
    add_note(end, notes, "calls",
             hn_arena_text(arena, "%d of %d kinds, %d compared, %d wrong", row->calls, row->kinds,
                           row->compared, row->wrong));
    if (row->compared)
        add_note(end, notes, "worst error beside the largest number",
                 hn_arena_text(arena, "%.3g", row->worst));
    if (row->raised || row->refused)
        add_note(end, notes, "raised",
                 hn_arena_text(arena, "%d where the CPU does not, %d refusals", row->raised,
                               row->refused));
    add_note(end, notes, "ran as", row->ran);
    add_note(end, notes, "module", row->module);
    add_note(end, notes, "reproducer", row->reproducer);
    return HN_OK;
}

/* A signal by which somebody stopped it says nothing of it; any other one is a crash. */
static struct hn_end_record end_of_program(const struct watched *watched)
{
    return (struct hn_end_record){.id = HN_WATCHED_PROGRAM,
                                  .verdict = watched->is_cut_off ? HN_INCOMPLETE
                                             : *watched->signal  ? HN_CRASH
                                             : *watched->ended   ? HN_BROKEN
                                                                 : HN_PASS,
                                  .reason = watched->ended,
                                  .signal = watched->signal,
                                  .status = *watched->signal ? 0 : watched->exit};
}

static int write_run(struct hn_session *session, const struct watched *watched, size_t *totals)
{
    struct hn_outside_run run = {.select = HN_WATCHED_SELECT,
                                 .level = HN_MUST,
                                 .count = watched->count + 1,
                                 .incomplete = watched->is_cut_off ? watched->ended : ""};
    int status = HN_OK;
    run.ends = hn_arena_array(session->arena, run.count, sizeof *run.ends);
    if (!run.ends)
        return hn_error_nomem(&session->error);
    for (size_t i = 0; status == HN_OK && i < watched->count; i++)
        status = make_operator(session, &watched->rows[i], &run.ends[i]);
    run.ends[watched->count] = end_of_program(watched);
    return status == HN_OK ? hn_outside_run_write(session, &run, totals) : status;
}

static int status_of(const struct watched *watched, const size_t *totals)
{
    size_t compared = 0;
    for (size_t i = 0; i < watched->count; i++)
        compared += (size_t)watched->rows[i].compared;
    if (totals[HN_FAIL] || totals[HN_CRASH])
        return HN_EXIT_FAILED;
    return *watched->ended || !compared ? HN_EXIT_UNDECIDED : HN_EXIT_OK;
}

int hn_watched_write(struct hn_session *session, int *exit_status)
{
    static const struct hn_json_limits limits = {LIMIT, 8};
    char path[HN_PATH_SIZE];
    size_t totals[HN_VERDICTS];
    struct watched watched = {0};
    struct hn_error *error = &session->error;
    int status = hn_path_join(path, sizeof path, session->folder, HN_WATCHED_FILE, error);
    if (status == HN_OK)
        status =
            hn_fields_read_file(path, &limits, watched_fields, &watched, session->arena, error);
    if (status == HN_OK)
        status = write_run(session, &watched, totals);
    if (status == HN_OK)
        *exit_status = status_of(&watched, totals);
    else
        hn_findings_add_error(&session->findings, error);
    return status;
}
