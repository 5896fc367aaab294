/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opening, recognising and closing the file of a history. See history.h.
 */
#include <stdlib.h>

#include "history_file.h"

/* Form 1 did not keep what a run asked: that is unknown, and so no run of it is whole. */
static const char from_form_1[] = "ALTER TABLE run ADD COLUMN asked TEXT NOT NULL DEFAULT '?';"
                                  "UPDATE run SET state = 3 WHERE state = 0;";

/* A number that the file says of itself, -1 when it does not. */
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

/* Whole inside: a page that was lost is found now and not in the middle of a change. */
static int expect_sound(struct rp_history *history, const char *path, struct hn_error *error)
{
    const int sound = pragma(history, "SELECT quick_check = 'ok' FROM pragma_quick_check(1)") == 1;

    return sound ? HN_OK
                 : hn_error_at(error, HN_EINPUT, path, 0, 0,
                               "is damaged; nothing was changed: take it from a copy, or import "
                               "an export of it");
}

static int take_over(struct rp_history *history, struct hn_error *error)
{
    int status = rp_record_run(history, RP_SQL_BEGIN, error);
    if (status)
        return status;
    const int form = pragma(history, "PRAGMA user_version"); /* another may have been faster */
    if (form == 1)
        status = rp_record_script(history, from_form_1, error);
    if (!status && form < RP_FORM)
        status = rp_record_from_2(history, error);
    return rp_record_end(history, status, error);
}

/* A file that is there already: ours, of this version, sound, and readable now? */
static int recognise(struct rp_history *history, const char *path, enum rp_opening opening,
                     struct hn_error *error)
{
    const int failed = sqlite3_errcode(history->file);
    if (failed == SQLITE_BUSY || failed == SQLITE_LOCKED || failed == SQLITE_CORRUPT)
        return rp_record_complain(history, error, "cannot read");
    if (pragma(history, "PRAGMA application_id") != RP_APPLICATION)
        return hn_error_at(error, HN_EINPUT, path, 0, 0, "is not a history of assay");
    const int form = pragma(history, "PRAGMA user_version");
    if (form < 1 || form > RP_FORM)
        return hn_error_at(error, HN_EINPUT, path, 0, 0,
                           "is a history of form %d, and this assay knows form %d: use %s", form,
                           RP_FORM, form > RP_FORM ? "a newer assay" : "the assay that made it");
    if (form < RP_FORM && opening == RP_READ_ONLY)
        return hn_error_at(error, HN_EINPUT, path, 0, 0,
                           "is a history of form %d: assay history upgrade --db takes it over to "
                           "form %d",
                           form, RP_FORM);
    const int status = expect_sound(history, path, error);
    return status || form == RP_FORM ? status : take_over(history, error);
}

static int make(struct rp_history *history, struct hn_error *error)
{
    const int status = rp_record_run(history, RP_SQL_BEGIN, error);

    if (status)
        return status;
    if (pragma(history, "SELECT count(*) FROM sqlite_master") > 0) /* another was faster */
        return rp_record_end(history, HN_OK, error);
    return rp_record_end(history, rp_record_make(history, error), error);
}

int rp_history_open(const char *path, enum rp_opening opening, struct rp_history **history,
                    struct hn_error *error)
{
    const int flags = opening == RP_READ_ONLY ? SQLITE_OPEN_READONLY
                      : opening == RP_MAKE    ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                              : SQLITE_OPEN_READWRITE;
    struct rp_history *opened = calloc(1, sizeof *opened);
    int status;

    *history = NULL;
    if (!opened)
        return hn_error_nomem(error);
    if (sqlite3_open_v2(path, &opened->file, flags, NULL) != SQLITE_OK) {
        status = hn_error_at(error, HN_EINPUT, path, 0, 0, "cannot be opened as a history: %s",
                             sqlite3_errmsg(opened->file));
        goto fail;
    }
    sqlite3_busy_timeout(opened->file, 10000);
    const int entries = pragma(opened, "SELECT count(*) FROM sqlite_master");
    status = entries == 0 && opening == RP_MAKE ? make(opened, error) : HN_OK;
    if (!status)
        status = recognise(opened, path, opening, error);
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
    for (size_t i = 0; i < RP_SQLS; i++)
        sqlite3_finalize(history->prepared[i]);
    rp_map_finish(&history->newest);
    sqlite3_close(history->file);
    free(history);
}
