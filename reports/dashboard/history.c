/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See history.h. Writing and reading the file; what follows from it is in past.c.
 */
#include "history.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "past.h"
#include "run_set.h"

#define APPLICATION 0x61737379 /* "assy": marks the file as ours */
#define VERSION 2              /* since 2: what a run asked */
#define SEEN_MOST 400
#define ASKED_MOST 512

struct rp_history {
    sqlite3 *file;
};

#define RUN_COLUMNS                                                                                \
    " (id INTEGER PRIMARY KEY, target TEXT NOT NULL, torch TEXT NOT NULL,"                         \
    " release TEXT NOT NULL, git TEXT NOT NULL, date TEXT NOT NULL, contract INTEGER NOT NULL, "   \
    "digest TEXT NOT NULL, asked TEXT NOT NULL,"                                                   \
    " state INTEGER NOT NULL, kept INTEGER NOT NULL, total INTEGER NOT NULL,"                      \
    " UNIQUE (target, torch, git, date, digest, asked));"

static const char tables[] =
    "CREATE TABLE run" RUN_COLUMNS
    "CREATE TABLE mark (run INTEGER NOT NULL REFERENCES run (id), place INTEGER NOT NULL,"
    " check_id TEXT NOT NULL, level INTEGER NOT NULL, verdict INTEGER NOT NULL,"
    " seen TEXT NOT NULL, PRIMARY KEY (run, place)) WITHOUT ROWID;";

/* Of form 1, which did not keep what a run asked: that is unknown, and so no run of it is whole. */
static const char from_form_1[] =
    "BEGIN IMMEDIATE; CREATE TABLE run2" RUN_COLUMNS
    "INSERT INTO run2 SELECT id, target, torch, release, git, date, contract, digest, '?',"
    " CASE state WHEN 0 THEN 3 ELSE state END, kept, total FROM run;"
    "DROP TABLE run; ALTER TABLE run2 RENAME TO run; PRAGMA user_version=2; COMMIT;";

static int complain(const struct rp_history *history, struct hn_error *error, const char *what)
{
    return hn_error_set(error, HN_ESYSTEM, "%s the history: %s", what,
                        sqlite3_errmsg(history->file));
}

static int run_sql(struct rp_history *history, const char *sql, struct hn_error *error)
{
    return sqlite3_exec(history->file, sql, NULL, NULL, NULL) == SQLITE_OK
               ? HN_OK
               : complain(history, error, "cannot write");
}

/* A number that a pragma answers, -1 when it does not. */
static int pragma(struct rp_history *history, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int number = -1;

    if (sqlite3_prepare_v2(history->file, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        number = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static int make_tables(struct rp_history *history, struct hn_error *error)
{
    char mark[128];

    sqlite3_snprintf(sizeof mark, mark, "PRAGMA application_id=%d; PRAGMA user_version=%d;",
                     APPLICATION, VERSION);
    const int status = run_sql(history, tables, error);
    return status ? status : run_sql(history, mark, error);
}

/* A file that is there already: ours, of this version, and readable now? */
static int recognise(struct rp_history *history, const char *path, struct hn_error *error)
{
    const int failed = sqlite3_errcode(history->file);
    if (failed == SQLITE_BUSY || failed == SQLITE_LOCKED)
        return hn_error_at(error, HN_ESYSTEM, path, 0, 0,
                           "is held by another program: try again when that is done");
    if (pragma(history, "PRAGMA application_id") != APPLICATION)
        return hn_error_at(error, HN_EINPUT, path, 0, 0, "is not a history of assay");
    const int version = pragma(history, "PRAGMA user_version");
    if (version == 1)
        return run_sql(history, from_form_1, error);
    if (version == VERSION)
        return HN_OK;
    return hn_error_at(error, HN_EINPUT, path, 0, 0,
                       "is a history of form %d, and this assay knows form %d: use %s", version,
                       VERSION, version > VERSION ? "a newer assay" : "the assay that made it");
}

int rp_history_open(const char *path, struct rp_history **history, struct hn_error *error)
{
    struct rp_history *opened = calloc(1, sizeof *opened);
    int status;

    *history = NULL;
    if (!opened)
        return hn_error_nomem(error);
    if (sqlite3_open(path, &opened->file) != SQLITE_OK) {
        status = complain(opened, error, "cannot open");
        goto fail;
    }
    sqlite3_busy_timeout(opened->file, 10000);
    const int entries = pragma(opened, "SELECT count(*) FROM sqlite_master");
    status = entries == 0 ? make_tables(opened, error) : recognise(opened, path, error);
    if (status)
        goto fail;
    *history = opened;
    return HN_OK;
fail:
    rp_history_close(opened);
    return status;
}

void rp_history_close(struct rp_history *history)
{
    if (!history)
        return;
    sqlite3_close(history->file);
    free(history);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    return sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

static int add_run_row(struct rp_history *history, const struct rp_run *run, int *added,
                       struct hn_error *error)
{
    static const char sql[] = "INSERT OR IGNORE INTO run (target, torch, git, date, contract,"
                              " digest, state, kept, total, release, asked)"
                              " VALUES (?,?,?,?,?,?,?,?,?,?,?)";
    const struct rp_share share = rp_level_share(run, HN_MUST);
    sqlite3_stmt *statement = NULL;
    char release[64], asked[ASKED_MOST];

    rp_asked_of(run, asked, sizeof asked);
    rp_release_of(run->torch_version, release, sizeof release);
    sqlite3_prepare_v2(history->file, sql, -1, &statement, NULL);
    bind_text(statement, 10, release);
    bind_text(statement, 11, asked);
    bind_text(statement, 1, run->target);
    bind_text(statement, 2, run->torch_version);
    bind_text(statement, 3, run->torch_git);
    bind_text(statement, 4, run->date);
    sqlite3_bind_int(statement, 5, run->contract);
    bind_text(statement, 6, run->digest);
    sqlite3_bind_int(statement, 7, (int)rp_state_of(run));
    sqlite3_bind_int64(statement, 8, (sqlite3_int64)share.kept);
    sqlite3_bind_int64(statement, 9, (sqlite3_int64)share.total);
    const int done = sqlite3_step(statement) == SQLITE_DONE;
    *added = done && sqlite3_changes(history->file) > 0;
    sqlite3_finalize(statement);
    return done ? HN_OK : complain(history, error, "cannot add a run to");
}

static int add_mark_row(struct rp_history *history, sqlite3_int64 run, size_t place,
                        const struct rp_check *check, struct hn_error *error)
{
    static const char sql[] = "INSERT INTO mark VALUES (?,?,?,?,?,?)";
    const char *seen = check->seen[0] ? check->seen : check->reason;
    sqlite3_stmt *statement = NULL;

    sqlite3_prepare_v2(history->file, sql, -1, &statement, NULL);
    sqlite3_bind_int64(statement, 1, run);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)place);
    bind_text(statement, 3, check->id);
    sqlite3_bind_int(statement, 4, (int)check->level);
    sqlite3_bind_int(statement, 5, (int)check->verdict);
    sqlite3_bind_text(statement, 6, seen, (int)strnlen(seen, SEEN_MOST), SQLITE_TRANSIENT);
    const int done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return done ? HN_OK : complain(history, error, "cannot add a run to");
}

static int add_marks(struct rp_history *history, const struct rp_run *run, struct hn_error *error)
{
    const sqlite3_int64 id = sqlite3_last_insert_rowid(history->file);
    size_t *indices = calloc(run->check_count + 1, sizeof *indices);
    int status = indices ? HN_OK : hn_error_nomem(error);
    const size_t count = indices ? rp_run_troubles(run, indices) : 0;

    for (size_t i = 0; !status && i < count; i++)
        status = add_mark_row(history, id, i, &run->checks[indices[i]], error);
    free(indices);
    return status;
}

int rp_history_add(struct rp_history *history, const struct rp_run *run, int *added,
                   struct hn_error *error)
{
    *added = 0;
    int status = run_sql(history, "BEGIN IMMEDIATE", error);

    if (status)
        return status;
    status = add_run_row(history, run, added, error);
    if (!status && *added)
        status = add_marks(history, run, error);
    if (status) {
        struct hn_error ignored;
        run_sql(history, "ROLLBACK", &ignored);
        *added = 0;
        return status;
    }
    return run_sql(history, "COMMIT", error);
}

/* ---- another history -------------------------------------------------------------------------- */

#define RUN_KEPT "target, torch, release, git, date, contract, digest, asked, state, kept, total"
#define LAST "(SELECT newest FROM temp.before)"

/* Marks go with the runs that came, and with no run that was known. */
static const char taking[] =
    "CREATE TEMP TABLE before AS SELECT coalesce(max(id), 0) AS newest FROM main.run;"
    "INSERT OR IGNORE INTO main.run (" RUN_KEPT ") SELECT " RUN_KEPT " FROM other.run ORDER BY id;"
    "INSERT INTO main.mark SELECT mine.id, m.place, m.check_id, m.level, m.verdict, m.seen"
    " FROM other.mark m JOIN other.run o ON o.id = m.run JOIN main.run mine ON mine.id > " LAST
    " AND mine.target = o.target AND mine.torch = o.torch AND mine.git = o.git"
    " AND mine.date = o.date AND mine.digest = o.digest AND mine.asked = o.asked;";

/* That the file is a history of this form, without writing to it. */
static int expect_history(const char *path, struct hn_error *error)
{
    struct rp_history other = {0};
    int status = HN_OK;

    if (sqlite3_open_v2(path, &other.file, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        status = hn_error_at(error, HN_EINPUT, path, 0, 0, "cannot be opened as a history");
    else if (pragma(&other, "PRAGMA application_id") != APPLICATION)
        status = hn_error_at(error, HN_EINPUT, path, 0, 0, "is not a history of assay");
    else if (pragma(&other, "PRAGMA user_version") != VERSION)
        status = hn_error_at(error, HN_EINPUT, path, 0, 0,
                             "is a history of another form; assay history show of this version "
                             "takes an older one over");
    sqlite3_close(other.file);
    return status;
}

static int attach(struct rp_history *history, const char *path, struct hn_error *error)
{
    sqlite3_stmt *statement = NULL;

    sqlite3_prepare_v2(history->file, "ATTACH ? AS other", -1, &statement, NULL);
    bind_text(statement, 1, path);
    const int done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return done ? HN_OK : complain(history, error, "cannot add another to");
}

static int take_rows(struct rp_history *history, int *added, int *known, struct hn_error *error)
{
    const int before = pragma(history, "SELECT count(*) FROM main.run");
    int status = run_sql(history, "BEGIN IMMEDIATE", error);

    if (status)
        return status;
    status = run_sql(history, taking, error);
    if (!status) {
        *added = pragma(history, "SELECT count(*) FROM main.run") - before;
        *known = pragma(history, "SELECT count(*) FROM other.run") - *added;
        status = run_sql(history, "DROP TABLE temp.before; COMMIT", error);
    }
    if (status) {
        struct hn_error ignored;
        run_sql(history, "ROLLBACK", &ignored);
    }
    return status;
}

int rp_history_take(struct rp_history *history, const char *path, int *added, int *known,
                    struct hn_error *error)
{
    struct hn_error ignored;

    *added = *known = 0;
    int status = expect_history(path, error);
    if (!status)
        status = attach(history, path, error);
    if (status)
        return status;
    status = take_rows(history, added, known, error);
    run_sql(history, "DETACH other", &ignored);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static const char *text_column(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

/* A number of the file as an index of a table; the file may be anybody's. */
static int word_column(sqlite3_stmt *statement, int column, int count)
{
    const int number = sqlite3_column_int(statement, column);

    return number >= 0 && number < count ? number : count - 1;
}

static int read_marks(struct rp_history *history, struct rp_past_builder *builder,
                      sqlite3_int64 run)
{
    sqlite3_stmt *statement = NULL;
    int status = HN_OK, step = SQLITE_DONE;

    sqlite3_prepare_v2(history->file,
                       "SELECT check_id, seen, level, verdict FROM mark WHERE run=? ORDER BY place",
                       -1, &statement, NULL);
    sqlite3_bind_int64(statement, 1, run);
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = rp_past_add_mark(builder, text_column(statement, 0), text_column(statement, 1),
                                  (enum hn_level)word_column(statement, 2, HN_LEVELS),
                                  (enum hn_verdict)word_column(statement, 3, HN_VERDICTS));
    sqlite3_finalize(statement);
    return status ? status : step == SQLITE_DONE ? HN_OK : HN_ESYSTEM;
}

static int read_runs(struct rp_history *history, struct rp_past_builder *builder)
{
    sqlite3_stmt *statement = NULL;
    int status = HN_OK, step = SQLITE_DONE;

    sqlite3_prepare_v2(history->file,
                       "SELECT target, torch, git, date, digest, contract, state, kept, total, id,"
                       " release, asked FROM run"
                       " ORDER BY target, release, asked = '', asked, date, id",
                       -1, &statement, NULL);
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        const struct rp_past_run run = {.target = text_column(statement, 0),
                                        .torch = text_column(statement, 1),
                                        .release = text_column(statement, 10),
                                        .asked = text_column(statement, 11),
                                        .git = text_column(statement, 2),
                                        .date = text_column(statement, 3),
                                        .digest = text_column(statement, 4),
                                        .contract = sqlite3_column_int(statement, 5),
                                        .state =
                                            (enum rp_state)word_column(statement, 6, RP_STATES),
                                        .kept = (size_t)sqlite3_column_int64(statement, 7),
                                        .total = (size_t)sqlite3_column_int64(statement, 8)};
        status = rp_past_add_run(builder, &run);
        if (!status)
            status = read_marks(history, builder, sqlite3_column_int64(statement, 9));
    }
    sqlite3_finalize(statement);
    return status ? status : step == SQLITE_DONE ? HN_OK : HN_ESYSTEM;
}

int rp_history_read(struct rp_history *history, struct rp_past **past, struct hn_error *error)
{
    struct rp_past_builder *builder = rp_past_begin();
    const int status = builder ? read_runs(history, builder) : HN_ENOMEM;

    *past = NULL;
    if (status == HN_ESYSTEM) {
        rp_past_give_up(builder);
        return complain(history, error, "cannot read");
    }
    if (status || !(*past = rp_past_end(builder))) {
        rp_past_give_up(builder);
        return hn_error_nomem(error);
    }
    return HN_OK;
}
