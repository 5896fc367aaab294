/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See outside_run.h.
 */
#include "outside_run.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "journal.h"
#include "record_fields.h"
#include "run_header.h"

#define LIMIT ((size_t)256 << 20)

int hn_outside_command(struct hn_session *session, int is_program, char *const *words, size_t count)
{
    char **command = hn_arena_array(session->arena, count + 5, sizeof *command);
    size_t used = 0;
    if (!command)
        return hn_error_nomem(&session->error);
    command[used++] = (char *)(uintptr_t)session->asked.kind;
    command[used++] = (char *)(uintptr_t) "--target";
    command[used++] = (char *)(uintptr_t)session->profile->name;
    if (is_program)
        command[used++] = (char *)(uintptr_t) "--";
    for (size_t i = 0; i < count && used < HN_COMMAND_WORDS; i++)
        command[used++] = words[i];
    session->asked.command = command;
    session->asked.command_count = used;
    return HN_OK;
}

int hn_outside_expect_no_run(struct hn_session *session)
{
    char path[HN_PATH_SIZE];
    const int status =
        hn_path_join(path, sizeof path, session->folder, HN_JOURNAL_FILE, &session->error);
    return status != HN_OK || access(path, F_OK) != 0
               ? status
               : hn_error_set(&session->error, HN_EINPUT,
                              "%.900s has been summarized already: assay report shows it",
                              session->folder);
}

int hn_outside_folder(struct hn_session *session, const char *read)
{
    const char *given = session->asked.folder;
    if (!read && given && hn_path_exists(given) && rmdir(given) != 0)
        return hn_error_errno(&session->error, "%s is there; give --out a new folder", given);
    if (read && access(read, F_OK) != 0)
        return hn_error_errno(&session->error, "cannot find %s", read);
    if (read)
        session->asked.folder = read;
    return hn_session_make_folder(session);
}

/* The members of HN_OUTSIDE_FILE. */
struct told {
    struct hn_record *checks; /* `end` record of each check */
    size_t count;
    const char *incomplete; /* why the run is not complete; "": it is complete */
    int exit;
};

static int read_told(struct hn_session *session, struct told *told)
{
    static const struct hn_json_limits limits = {LIMIT, 8};
    const struct hn_field *end_fields = hn_event_table[HN_EVENT_END].fields;
    const struct hn_field fields[] = {
        HN_ALWAYS("exit", HN_FIELD_COUNT, offsetof(struct told, exit)),
        HN_ALWAYS("incomplete", HN_FIELD_TEXT, offsetof(struct told, incomplete)),
        HN_LIST("checks", offsetof(struct told, checks), offsetof(struct told, count), end_fields,
                struct hn_record, 1),
        HN_END_OF_TABLE,
    };
    char path[HN_PATH_SIZE];
    const int status =
        hn_path_join(path, sizeof path, session->folder, HN_OUTSIDE_FILE, &session->error);
    return status == HN_OK
               ? hn_fields_read_file(path, &limits, fields, told, session->arena, &session->error)
               : status;
}

static int write_head(struct hn_session *session, struct hn_journal *journal,
                      const struct told *told)
{
    const struct hn_plan plan = {.contract = session->catalogue->version,
                                 .digest = session->catalogue->digest,
                                 .shard = 1,
                                 .shards = 1};
    const struct hn_run_facts facts = {.plan = &plan,
                                       .profile = session->profile,
                                       .torch = &session->places.torch,
                                       .select = session->asked.kind,
                                       .command = session->asked.command,
                                       .command_count = session->asked.command_count};
    struct hn_record record = {.event = HN_EVENT_RUN};
    char date[HN_CLOCK_DATE_SIZE];
    struct hn_planned *checks = hn_arena_array(session->arena, told->count + 1, sizeof *checks);
    int status = checks ? HN_OK : hn_error_nomem(&session->error);
    if (status == HN_OK)
        status = hn_run_header_make(&facts, session->arena, &record.run, &session->error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < told->count; i++)
        checks[i] = (struct hn_planned){.id = told->checks[i].end.id, .level = HN_MUST};
    hn_clock_date(date, sizeof date);
    record.run.date = date;
    record.run.seed = "0";
    record.run.checks = checks;
    record.run.check_count = told->count;
    return hn_journal_write(journal, &record, &session->error);
}

static int write_all(struct hn_session *session, struct hn_journal *journal,
                     const struct told *told)
{
    struct hn_record finish = {.event = HN_EVENT_FINISH,
                               .finish = {.complete = !*told->incomplete, .why = told->incomplete}};
    int status = write_head(session, journal, told);
    for (size_t i = 0; status == HN_OK && i < told->count; i++) {
        struct hn_record *end = &told->checks[i];
        const struct hn_record start = {.event = HN_EVENT_START,
                                        .start = {.id = end->end.id, .attempt = 1}};
        end->event = HN_EVENT_END;
        finish.finish.totals[end->end.verdict]++;
        status = hn_journal_write(journal, &start, &session->error);
        if (status == HN_OK)
            status = hn_journal_write(journal, end, &session->error);
    }
    return status == HN_OK ? hn_journal_write(journal, &finish, &session->error) : status;
}

int hn_outside_run_write(struct hn_session *session, int *exit_status)
{
    char path[HN_PATH_SIZE];
    struct hn_journal journal = {.file = -1};
    struct told told = {.incomplete = ""};
    int status = read_told(session, &told);
    if (status == HN_OK)
        status = hn_path_join(path, sizeof path, session->folder, HN_JOURNAL_FILE, &session->error);
    if (status == HN_OK)
        status = hn_journal_create(&journal, path, &session->error);
    if (status == HN_OK)
        status = write_all(session, &journal, &told);
    hn_journal_close(&journal);
    *exit_status = told.exit;
    return status;
}
