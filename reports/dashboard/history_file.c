/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See history_file.h: the tables and every sentence of SQL that reads or writes them.
 */
#include "history_file.h"

#include <stdlib.h>
#include <string.h>

static const char tables[] =
    "CREATE TABLE series (id INTEGER PRIMARY KEY, target TEXT NOT NULL, release TEXT NOT NULL,"
    " asked TEXT NOT NULL, UNIQUE (target, release, asked));"
    "CREATE TABLE run (id INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series (id),"
    " at INTEGER NOT NULL, date TEXT NOT NULL, torch TEXT NOT NULL, git TEXT NOT NULL,"
    " backend TEXT NOT NULL, contract INTEGER NOT NULL, digest TEXT NOT NULL,"
    " state TEXT NOT NULL, kept INTEGER NOT NULL, total INTEGER NOT NULL,"
    " promised INTEGER NOT NULL, whole INTEGER NOT NULL, UNIQUE (series, at),"
    " UNIQUE (series, torch, git, date, digest));"
    "CREATE TABLE fact (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,"
    " UNIQUE (kind, name));"
    "CREATE TABLE answer (id INTEGER PRIMARY KEY, level TEXT NOT NULL, verdict TEXT NOT NULL,"
    " covers TEXT NOT NULL, cause TEXT NOT NULL, UNIQUE (level, verdict, covers, cause));"
    "CREATE TABLE words (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
    "CREATE TABLE change (series INTEGER NOT NULL, fact INTEGER NOT NULL, at INTEGER NOT NULL,"
    " answer INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (series, fact, at))"
    " WITHOUT ROWID;"
    "INSERT INTO answer VALUES (0, '', 'gone', '', ''); INSERT INTO words VALUES (0, '');"
    "PRAGMA application_id=1634956153; PRAGMA user_version=3;";
_Static_assert(RP_APPLICATION == 1634956153 && RP_FORM == 3, "the tables say which file it is");

#define RUN_COLUMNS                                                                                \
    "date, torch, git, backend, contract, digest, state, kept, total, promised, whole"

static const char *const sentences[RP_SQLS] = {
    [RP_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [RP_SQL_COMMIT] = "COMMIT",
    [RP_SQL_ROLLBACK] = "ROLLBACK",
    [RP_SQL_FIND_SERIES] = "SELECT id FROM series WHERE target=? AND release=? AND asked=?",
    [RP_SQL_ADD_SERIES] = "INSERT INTO series (target, release, asked) VALUES (?,?,?)",
    [RP_SQL_FIND_FACT] = "SELECT id FROM fact WHERE kind=? AND name=?",
    [RP_SQL_ADD_FACT] = "INSERT INTO fact (kind, name) VALUES (?,?)",
    [RP_SQL_FIND_ANSWER] =
        "SELECT id FROM answer WHERE level=? AND verdict=? AND covers=? AND cause=?",
    [RP_SQL_ADD_ANSWER] = "INSERT INTO answer (level, verdict, covers, cause) VALUES (?,?,?,?)",
    [RP_SQL_FIND_WORDS] = "SELECT id FROM words WHERE text=?",
    [RP_SQL_ADD_WORDS] = "INSERT INTO words (text) VALUES (?)",
    [RP_SQL_KNOWN_RUN] =
        "SELECT 1 FROM run WHERE series=? AND torch=? AND git=? AND date=? AND digest=?",
    [RP_SQL_TAKEN_AT] = "SELECT 1 FROM run WHERE series=? AND at=?",
    [RP_SQL_ADD_RUN] =
        "INSERT INTO run (series, at, " RUN_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [RP_SQL_BEFORE] = "SELECT max(at) FROM run WHERE series=? AND at<?",
    [RP_SQL_AFTER] = "SELECT min(at) FROM run WHERE series=? AND at>?",
    [RP_SQL_STATE_AT] =
        "SELECT fact, answer, seen, max(at) FROM change WHERE series=? AND at<=? GROUP BY fact",
    [RP_SQL_CHANGE_AT] = "SELECT answer FROM change WHERE series=? AND fact=? AND at=?",
    [RP_SQL_SET_CHANGE] = "INSERT OR REPLACE INTO change (series, fact, at, answer, seen)"
                          " VALUES (?,?,?,?,?)",
    [RP_SQL_DROP_CHANGE] = "DELETE FROM change WHERE series=? AND fact=? AND at=?",
    [RP_SQL_ALL_SERIES] = "SELECT id, target, release, asked FROM series"
                          " ORDER BY target, release, asked = '', asked",
    [RP_SQL_RUNS_OF] = "SELECT at, " RUN_COLUMNS " FROM run WHERE series=? ORDER BY at",
    [RP_SQL_CHANGES_OF] = "SELECT at, fact, answer, seen FROM change JOIN fact ON fact.id = fact"
                          " WHERE series=? ORDER BY at, kind, name",
    [RP_SQL_FACT_OF] = "SELECT kind, name FROM fact WHERE id=?",
    [RP_SQL_ANSWER_OF] = "SELECT level, verdict, covers, cause FROM answer WHERE id=?",
    [RP_SQL_WORDS_OF] = "SELECT text FROM words WHERE id=?",
};

/* ---- sentences -------------------------------------------------------------------------------- */

int rp_record_complain(const struct rp_history *history, struct hn_error *error, const char *what)
{
    const int code = sqlite3_errcode(history->file) & 0xff;
    const char *path = sqlite3_db_filename(history->file, "main");

    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB)
        return hn_error_at(error, HN_EINPUT, path ? path : "", 0, 0,
                           "is damaged; nothing was changed: take it from a copy, or import an "
                           "export of it");
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return hn_error_at(error, HN_ESYSTEM, path ? path : "", 0, 0,
                           "is held by another program: try again when that is done");
    return hn_error_set(error, HN_ESYSTEM, "%s the history: %s", what,
                        sqlite3_errmsg(history->file));
}

sqlite3_stmt *rp_record_sql(struct rp_history *history, enum rp_sql which)
{
    sqlite3_stmt **statement = &history->prepared[which];

    if (!*statement)
        sqlite3_prepare_v3(history->file, sentences[which], -1, SQLITE_PREPARE_PERSISTENT,
                           statement, NULL);
    else
        sqlite3_reset(*statement);
    return *statement;
}

sqlite3_stmt *rp_record_about(struct rp_history *history, enum rp_sql which, int count,
                              const int64_t *numbers)
{
    sqlite3_stmt *statement = rp_record_sql(history, which);

    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(statement, i + 1, numbers[i]);
    return statement;
}

void rp_record_bind(sqlite3_stmt *statement, int place, const char *text)
{
    sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

const char *rp_record_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

int rp_record_run(struct rp_history *history, enum rp_sql which, struct hn_error *error)
{
    sqlite3_stmt *statement = rp_record_sql(history, which);
    const int done = statement && sqlite3_step(statement) == SQLITE_DONE;

    if (!done)
        rp_record_complain(history, error, "cannot write");
    sqlite3_reset(statement);
    return done ? HN_OK : error->code;
}

int rp_record_end(struct rp_history *history, int status, struct hn_error *error)
{
    struct hn_error ignored;

    if (status == HN_OK)
        status = rp_record_run(history, RP_SQL_COMMIT, error);
    if (status == HN_OK)
        return HN_OK;
    history->newest_series = 0; /* what was learnt may be undone */
    rp_record_run(history, RP_SQL_ROLLBACK, &ignored);
    return status;
}

int rp_record_script(struct rp_history *history, const char *sql, struct hn_error *error)
{
    if (sqlite3_exec(history->file, sql, NULL, NULL, NULL) == SQLITE_OK)
        return HN_OK;
    return rp_record_complain(history, error, "cannot write");
}

int rp_record_make(struct rp_history *history, struct hn_error *error)
{
    return rp_record_script(history, tables, error);
}
