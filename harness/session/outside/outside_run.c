/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See outside_run.h.
 */
#include "outside_run.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "journal.h"
#include "run_header.h"

int hn_outside_command(struct hn_session *session, const char *kind, int is_program,
                       char *const *words, size_t count)
{
    char **command = hn_arena_array(session->arena, count + 5, sizeof *command);
    size_t used = 0;
    if (!command)
        return hn_error_nomem(&session->error);
    command[used++] = (char *)(uintptr_t)kind;
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

const char *hn_outside_id(struct hn_arena *arena, const char *prefix, const char *name)
{
    char *id = hn_arena_text(arena, "%s.%s", prefix, name);
    for (char *letter = id; letter && *letter; letter++)
        if (!isdigit((unsigned char)*letter) && *letter != '.')
            *letter =
                (char)(isalpha((unsigned char)*letter) ? tolower((unsigned char)*letter) : '_');
    return id;
}

static int write_head(struct hn_session *session, struct hn_journal *journal,
                      const struct hn_outside_run *run)
{
    const struct hn_plan plan = {.contract = session->catalogue->version,
                                 .digest = session->catalogue->digest,
                                 .shard = 1,
                                 .shards = 1};
    const struct hn_run_facts facts = {.plan = &plan,
                                       .profile = session->profile,
                                       .torch = &session->places.torch,
                                       .select = run->select,
                                       .command = session->asked.command,
                                       .command_count = session->asked.command_count};
    struct hn_record record = {.event = HN_EVENT_RUN};
    char date[HN_CLOCK_DATE_SIZE];
    struct hn_planned *checks = hn_arena_array(session->arena, run->count + 1, sizeof *checks);
    int status = checks ? HN_OK : hn_error_nomem(&session->error);
    if (status == HN_OK)
        status = hn_run_header_make(&facts, session->arena, &record.run, &session->error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < run->count; i++)
        checks[i] = (struct hn_planned){.id = run->ends[i].id, .level = run->level};
    hn_clock_date(date, sizeof date);
    record.run.date = date;
    record.run.seed = "0";
    record.run.checks = checks;
    record.run.check_count = run->count;
    return hn_journal_write(journal, &record, &session->error);
}

static int write_end(struct hn_session *session, struct hn_journal *journal,
                     struct hn_end_record *end)
{
    struct hn_record record = {.event = HN_EVENT_START, .start = {.id = end->id, .attempt = 1}};
    const int status = hn_journal_write(journal, &record, &session->error);
    if (status != HN_OK)
        return status;
    end->attempt = end->final = 1;
    record = (struct hn_record){.event = HN_EVENT_END, .end = *end};
    return hn_journal_write(journal, &record, &session->error);
}

static int write_all(struct hn_session *session, struct hn_journal *journal,
                     const struct hn_outside_run *run, size_t *totals)
{
    struct hn_record finish = {.event = HN_EVENT_FINISH,
                               .finish = {.complete = !*run->incomplete, .why = run->incomplete}};
    int status = write_head(session, journal, run);
    for (size_t i = 0; status == HN_OK && i < run->count; i++) {
        totals[run->ends[i].verdict]++;
        status = write_end(session, journal, &run->ends[i]);
    }
    if (status != HN_OK)
        return status;
    memcpy(finish.finish.totals, totals, sizeof finish.finish.totals);
    return hn_journal_write(journal, &finish, &session->error);
}

int hn_outside_run_write(struct hn_session *session, const struct hn_outside_run *run,
                         size_t *totals)
{
    char path[HN_PATH_SIZE];
    struct hn_journal journal = {.file = -1};
    memset(totals, 0, HN_VERDICTS * sizeof *totals);
    int status = hn_path_join(path, sizeof path, session->folder, HN_JOURNAL_FILE, &session->error);
    if (status == HN_OK)
        status = hn_journal_create(&journal, path, &session->error);
    if (status == HN_OK)
        status = write_all(session, &journal, run, totals);
    hn_journal_close(&journal);
    return status;
}
