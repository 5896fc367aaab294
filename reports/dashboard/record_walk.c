/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every run of a history with all that it says, made of the changes. See history_file.h.
 */
#include <stdlib.h>
#include <string.h>

#include "history_file.h"

#define DATE_MOST 64

struct walk {
    struct rp_history *history;
    rp_walker walker;
    void *context;
    struct rp_step step;
    struct rp_state_map says;
    int64_t *changed;
    size_t changed_room;
    char before[DATE_MOST];
    struct hn_error *error;
};

static int add_change(struct walk *walk, int64_t fact, struct rp_word word)
{
    if (walk->step.changed_count == walk->changed_room) {
        const size_t room = walk->changed_room ? 2 * walk->changed_room : 256;
        int64_t *changed = realloc(walk->changed, room * sizeof *changed);
        if (!changed)
            return hn_error_nomem(walk->error);
        walk->changed = changed;
        walk->changed_room = room;
    }
    walk->changed[walk->step.changed_count++] = fact;
    return rp_map_set(&walk->says, fact, word, walk->error);
}

/* The changes of the run at `at`; `changes` stands on the first that is not taken yet. */
static int take_changes(struct walk *walk, sqlite3_stmt *changes, int *step, int64_t at)
{
    int status = HN_OK;

    walk->step.changed_count = 0;
    while (!status && *step == SQLITE_ROW && sqlite3_column_int64(changes, 0) <= at) {
        status = add_change(
            walk, sqlite3_column_int64(changes, 1),
            (struct rp_word){sqlite3_column_int64(changes, 2), sqlite3_column_int64(changes, 3)});
        *step = sqlite3_step(changes);
    }
    walk->step.changed = walk->changed;
    walk->step.says = &walk->says;
    return status;
}

static void read_night(sqlite3_stmt *runs, struct rp_night *night)
{
    night->at = sqlite3_column_int64(runs, 0);
    night->date = rp_record_text(runs, 1);
    night->torch = rp_record_text(runs, 2);
    night->git = rp_record_text(runs, 3);
    night->backend = rp_record_text(runs, 4);
    night->contract = sqlite3_column_int(runs, 5);
    night->digest = rp_record_text(runs, 6);
    night->state = rp_record_text(runs, 7);
    night->kept = sqlite3_column_int(runs, 8);
    night->total = sqlite3_column_int(runs, 9);
    night->promised = sqlite3_column_int(runs, 10);
    night->whole = sqlite3_column_int(runs, 11);
}

static int walk_runs(struct walk *walk, sqlite3_stmt *runs, sqlite3_stmt *changes)
{
    int step, status = HN_OK, change = sqlite3_step(changes);

    walk->before[0] = '\0';
    while (!status && (step = sqlite3_step(runs)) == SQLITE_ROW) {
        read_night(runs, &walk->step.night);
        status = take_changes(walk, changes, &change, walk->step.night.at);
        walk->step.before = walk->before[0] ? walk->before : NULL;
        if (!status)
            status = walk->walker(walk->context, &walk->step, walk->error);
        sqlite3_snprintf(DATE_MOST, walk->before, "%s", walk->step.night.date);
    }
    if (!status && (step != SQLITE_DONE || change != SQLITE_DONE))
        return rp_record_complain(walk->history, walk->error, "cannot read");
    return status;
}

static int walk_series(struct walk *walk, sqlite3_stmt *series)
{
    struct rp_night *night = &walk->step.night;

    night->series = sqlite3_column_int64(series, 0);
    night->target = rp_record_text(series, 1);
    night->release = rp_record_text(series, 2);
    night->asked = rp_record_text(series, 3);
    rp_map_finish(&walk->says);
    sqlite3_stmt *runs = rp_record_about(walk->history, RP_SQL_RUNS_OF, 1, &night->series);
    sqlite3_stmt *changes = rp_record_about(walk->history, RP_SQL_CHANGES_OF, 1, &night->series);
    const int status = walk_runs(walk, runs, changes);
    sqlite3_reset(runs);
    sqlite3_reset(changes);
    return status;
}

int rp_record_walk(struct rp_history *history, rp_walker walker, void *context,
                   struct hn_error *error)
{
    struct walk walk = {.history = history, .walker = walker, .context = context, .error = error};
    sqlite3_stmt *series = rp_record_sql(history, RP_SQL_ALL_SERIES);
    int status = HN_OK, step = SQLITE_DONE;

    while (!status && (step = sqlite3_step(series)) == SQLITE_ROW)
        status = walk_series(&walk, series);
    if (!status && step != SQLITE_DONE)
        status = rp_record_complain(history, error, "cannot read");
    sqlite3_reset(series);
    rp_map_finish(&walk.says);
    free(walk.changed);
    return status;
}

int rp_record_words(struct rp_history *history, int64_t fact, struct rp_word word,
                    struct rp_fact *words, struct hn_error *error)
{
    sqlite3_stmt *name = rp_record_about(history, RP_SQL_FACT_OF, 1, &fact);
    sqlite3_stmt *answer = rp_record_about(history, RP_SQL_ANSWER_OF, 1, &word.answer);
    sqlite3_stmt *seen = rp_record_about(history, RP_SQL_WORDS_OF, 1, &word.seen);

    if (sqlite3_step(name) != SQLITE_ROW || sqlite3_step(answer) != SQLITE_ROW ||
        sqlite3_step(seen) != SQLITE_ROW)
        return hn_error_set(error, HN_EINPUT, "the history is damaged: it has a word for no fact");
    *words = (struct rp_fact){rp_record_text(name, 0),   rp_record_text(name, 1),
                              rp_record_text(answer, 0), rp_record_text(answer, 1),
                              rp_record_text(answer, 2), rp_record_text(answer, 3),
                              rp_record_text(seen, 0)};
    return HN_OK;
}
