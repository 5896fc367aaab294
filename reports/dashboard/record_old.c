/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A history of form 2 becomes one of this form. It kept of each run the checks that were in trouble,
 * with the numbers that verdicts and levels had then; what it did not keep is "unrecorded", which is
 * neither good nor bad. See history_file.h.
 */
#include <stdlib.h>
#include <string.h>

#include "history_file.h"

/* The order of form 2, which is the past and does not change any more. */
static const char *const verdicts[] = {
    "crash",   "timeout",  "fail", "broken",       "incomplete", "notrun", "slow",
    "blocked", "fallback", "skip", "unobservable", "flaky",      "noted",  "pass"};
static const char *const levels[] = {"must", "should", "may", "advisory"};
static const char *const states[] = {"compatible", "incompatible", "undecided", "partial"};

static const char begin[] =
    "ALTER TABLE run RENAME TO old_run; ALTER TABLE mark RENAME TO old_mark;";
static const char end[] = "DROP TABLE old_mark; DROP TABLE old_run;";

static const char *word_of(sqlite3_stmt *statement, int column, const char *const *words, int count)
{
    const int number = sqlite3_column_int(statement, column);

    return number >= 0 && number < count ? words[number] : "unrecorded";
}

/* Every check that was ever in trouble in the series: in this run it is, or that is not recorded. */
static int read_says(struct rp_history *history, sqlite3_stmt *marks, sqlite3_stmt *run,
                     struct rp_state_map *says, struct hn_error *error)
{
    int step, status = HN_OK;

    sqlite3_reset(marks);
    sqlite3_bind_int64(marks, 1, sqlite3_column_int64(run, 0));
    for (int i = 0; i < 3; i++)
        rp_record_bind(marks, i + 2, rp_record_text(run, i + 1));
    while (!status && (step = sqlite3_step(marks)) == SQLITE_ROW) {
        const int known = sqlite3_column_type(marks, 1) != SQLITE_NULL;
        const struct rp_fact fact = {"check",
                                     rp_record_text(marks, 0),
                                     known ? word_of(marks, 1, levels, 4) : "",
                                     known ? word_of(marks, 2, verdicts, 14) : "unrecorded",
                                     "",
                                     "",
                                     rp_record_text(marks, 3)};
        status = rp_record_say(history, &fact, says, error);
    }
    return status || step == SQLITE_DONE ? status
                                         : rp_record_complain(history, error, "cannot read");
}

static int take_run(struct rp_history *history, sqlite3_stmt *run, sqlite3_stmt *marks,
                    struct hn_error *error)
{
    struct rp_state_map says = {NULL, 0};
    struct rp_night night = {.target = rp_record_text(run, 1),
                             .release = rp_record_text(run, 2),
                             .asked = rp_record_text(run, 3),
                             .torch = rp_record_text(run, 4),
                             .git = rp_record_text(run, 5),
                             .backend = "",
                             .date = rp_record_text(run, 6),
                             .contract = sqlite3_column_int(run, 7),
                             .digest = rp_record_text(run, 8),
                             .state = word_of(run, 9, states, 4),
                             .kept = sqlite3_column_int(run, 10),
                             .total = sqlite3_column_int(run, 11)};
    int added, status = read_says(history, marks, run, &says, error);

    if (!status)
        status = rp_record_put(history, &night, &says, &added, error);
    rp_map_finish(&says);
    return status;
}

static int take_runs(struct rp_history *history, struct hn_error *error)
{
    static const char all[] = "SELECT id, target, release, asked, torch, git, date, contract,"
                              " digest, state, kept, total FROM old_run ORDER BY date, id";
    static const char of_run[] =
        "SELECT every.check_id, m.level, m.verdict, coalesce(m.seen, '') FROM"
        " (SELECT DISTINCT check_id FROM old_mark JOIN old_run ON old_run.id = old_mark.run"
        "  WHERE target=?2 AND release=?3 AND asked=?4) every"
        " LEFT JOIN old_mark m ON m.run=?1 AND m.check_id = every.check_id";
    sqlite3_stmt *runs = NULL, *marks = NULL;
    int status = HN_OK, step = SQLITE_ERROR;

    if (sqlite3_prepare_v2(history->file, all, -1, &runs, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(history->file, of_run, -1, &marks, NULL) == SQLITE_OK)
        while (!status && (step = sqlite3_step(runs)) == SQLITE_ROW)
            status = take_run(history, runs, marks, error);
    if (!status && step != SQLITE_DONE)
        status = rp_record_complain(history, error, "cannot read");
    sqlite3_finalize(runs);
    sqlite3_finalize(marks);
    return status;
}

int rp_record_from_2(struct rp_history *history, struct hn_error *error)
{
    int status = rp_record_script(history, begin, error);

    if (!status)
        status = rp_record_make(history, error);
    if (!status)
        status = take_runs(history, error);
    return status ? status : rp_record_script(history, end, error);
}
