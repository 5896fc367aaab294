/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run goes into the record: only what differs from the run before of its series is written, and
 * the run behind it, when there is one, goes on saying what it said. See history_file.h.
 */
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "history_file.h"

#define FACTS_MOST (1 << 24)
#define PLACES                                                                                     \
    4096 /* of runs with one date: which comes first does not depend on who was added first */

/* ---- what a series says ----------------------------------------------------------------------- */

struct rp_word rp_map_get(const struct rp_state_map *map, int64_t fact)
{
    return (size_t)fact < map->room ? map->words[fact] : (struct rp_word){RP_GONE, 0};
}

int rp_map_set(struct rp_state_map *map, int64_t fact, struct rp_word word, struct hn_error *error)
{
    size_t room = map->room ? map->room : 64;

    if (fact < 0 || fact > FACTS_MOST)
        return hn_error_set(error, HN_EINPUT, "the history is damaged: it has a fact %lld",
                            (long long)fact);
    while (room <= (size_t)fact)
        room *= 2;
    if (room != map->room) {
        struct rp_word *words = realloc(map->words, room * sizeof *words);
        if (!words)
            return hn_error_nomem(error);
        memset(words + map->room, 0, (room - map->room) * sizeof *words);
        *map = (struct rp_state_map){words, room};
    }
    map->words[fact] = word;
    return HN_OK;
}

void rp_map_finish(struct rp_state_map *map)
{
    free(map->words);
    *map = (struct rp_state_map){NULL, 0};
}

/* ---- numbers of texts ------------------------------------------------------------------------- */

/* Carries out a statement that has no answer. */
static int carry_out(struct rp_history *history, sqlite3_stmt *statement, struct hn_error *error)
{
    const int done = sqlite3_step(statement) == SQLITE_DONE;

    sqlite3_reset(statement);
    return done ? HN_OK : rp_record_complain(history, error, "cannot add to");
}

/* The number that a statement answers, -1: it has no row. */
static int ask(struct rp_history *history, sqlite3_stmt *statement, int64_t *number,
               struct hn_error *error)
{
    const int step = sqlite3_step(statement);

    *number = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : -1;
    sqlite3_reset(statement);
    return step == SQLITE_ROW || step == SQLITE_DONE
               ? HN_OK
               : rp_record_complain(history, error, "cannot read");
}

/* The number of a row of texts, which is added when it is not there. */
static int number_of(struct rp_history *history, enum rp_sql find, enum rp_sql add,
                     const char *const *texts, int count, int64_t *number, struct hn_error *error)
{
    sqlite3_stmt *statement = rp_record_sql(history, find);

    for (int i = 0; i < count; i++)
        rp_record_bind(statement, i + 1, texts[i]);
    int status = ask(history, statement, number, error);
    if (status || *number >= 0)
        return status;
    statement = rp_record_sql(history, add);
    for (int i = 0; i < count; i++)
        rp_record_bind(statement, i + 1, texts[i]);
    status = carry_out(history, statement, error);
    *number = sqlite3_last_insert_rowid(history->file);
    return status;
}

int rp_record_say(struct rp_history *history, const struct rp_fact *fact, struct rp_state_map *says,
                  struct hn_error *error)
{
    struct rp_word word;
    int64_t number;
    char seen[RP_SEEN_MOST + 1] = "";
    const char *const name[] = {fact->kind, fact->name}, *const words[] = {seen};
    const char *const answer[] = {fact->level, fact->verdict, fact->covers, fact->cause};

    memcpy(seen, fact->seen, strnlen(fact->seen, RP_SEEN_MOST));
    int status = number_of(history, RP_SQL_FIND_FACT, RP_SQL_ADD_FACT, name, 2, &number, error);
    if (!status)
        status = number_of(history, RP_SQL_FIND_ANSWER, RP_SQL_ADD_ANSWER, answer, 4, &word.answer,
                           error);
    if (!status)
        status =
            number_of(history, RP_SQL_FIND_WORDS, RP_SQL_ADD_WORDS, words, 1, &word.seen, error);
    return status ? status : rp_map_set(says, number, word, error);
}

/* ---- where a run stands ----------------------------------------------------------------------- */

static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    const int64_t shifted = month + (month > 2 ? -3 : 9);
    const int64_t in_year = (153 * shifted + 2) / 5 + day - 1;
    return year * 365 + year / 4 - year / 100 + year / 400 + in_year - 719468;
}

/* The next `digits` digits behind the separator, -1: they are not there. */
static int64_t number_behind(const char **text, char separator, int digits)
{
    int64_t number = 0;

    if (separator && *(*text)++ != separator)
        return -1;
    for (int i = 0; i < digits; i++, (*text)++) {
        if (**text < '0' || **text > '9')
            return -1;
        number = number * 10 + (**text - '0');
    }
    return number;
}

int64_t rp_seconds_of(const char *date)
{
    static const struct {
        char separator;
        int digits, lowest, highest;
    } parts[] = {{0, 4, 1970, 9999}, {'-', 2, 1, 12}, {'-', 2, 1, 31},
                 {'T', 2, 0, 23},    {':', 2, 0, 59}, {':', 2, 0, 60}};
    int64_t numbers[6] = {0};

    for (int i = 0; i < 6 && (i != 3 || *date); i++) {
        numbers[i] = number_behind(&date, parts[i].separator, parts[i].digits);
        if (numbers[i] < parts[i].lowest || numbers[i] > parts[i].highest)
            return -1;
    }
    return (days_of(numbers[0], numbers[1], numbers[2]) * 24 + numbers[3]) * 3600 +
           numbers[4] * 60 + numbers[5];
}

/* *known is not negative when the run is there already. */
static int look_for(struct rp_history *history, const struct rp_night *night, int64_t *known,
                    struct hn_error *error)
{
    sqlite3_stmt *statement = rp_record_about(history, RP_SQL_KNOWN_RUN, 1, &night->series);

    rp_record_bind(statement, 2, night->torch);
    rp_record_bind(statement, 3, night->git);
    rp_record_bind(statement, 4, night->date);
    rp_record_bind(statement, 5, night->digest);
    return ask(history, statement, known, error);
}

/* A number about the place of a run in its series. */
static int ask_of_run(struct rp_history *history, enum rp_sql which, const struct rp_night *night,
                      int64_t *number, struct hn_error *error)
{
    const int64_t place[] = {night->series, night->at};

    return ask(history, rp_record_about(history, which, 2, place), number, error);
}

/* By its date; runs of one second by what they are. */
static int find_place(struct rp_history *history, struct rp_night *night, struct hn_error *error)
{
    const int64_t seconds = rp_seconds_of(night->date);
    uint64_t hash = hn_hash_text(HN_HASH_START, night->torch);
    int64_t taken = 1;
    int status = HN_OK;

    if (seconds < 0)
        return hn_error_set(error, HN_EINPUT,
                            "a run of %.100s says no date when it was (\"%.40s\"): make it again "
                            "with assay run",
                            night->target, night->date);
    hash = hn_hash_mix(hn_hash_text(hn_hash_text(hash, night->git), night->digest));
    night->at = seconds * PLACES + (int64_t)(hash % PLACES) - 1;
    while (!status && taken >= 0) {
        night->at++;
        status = ask_of_run(history, RP_SQL_TAKEN_AT, night, &taken, error);
    }
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* `newest` becomes what the series says at the run at `at`. */
static int learn(struct rp_history *history, int64_t series, int64_t at, struct hn_error *error)
{
    int step = SQLITE_DONE, status = HN_OK;

    if (history->newest_series == series && history->newest_at == at)
        return HN_OK;
    history->newest_series = 0;
    rp_map_finish(&history->newest);
    sqlite3_stmt *statement =
        rp_record_about(history, RP_SQL_STATE_AT, 2, (const int64_t[]){series, at});
    while (!status && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = rp_map_set(&history->newest, sqlite3_column_int64(statement, 0),
                            (struct rp_word){sqlite3_column_int64(statement, 1),
                                             sqlite3_column_int64(statement, 2)},
                            error);
    sqlite3_reset(statement);
    if (status)
        return status;
    if (step != SQLITE_DONE)
        return rp_record_complain(history, error, "cannot read");
    history->newest_series = series;
    history->newest_at = at;
    return HN_OK;
}

static int set_change(struct rp_history *history, const struct rp_night *night, int64_t fact,
                      int64_t at, struct rp_word word, struct hn_error *error)
{
    const int64_t row[] = {night->series, fact, at, word.answer, word.seen};

    return carry_out(history, rp_record_about(history, RP_SQL_SET_CHANGE, 5, row), error);
}

/* The run behind says what it said before this one came between. */
static int keep_behind(struct rp_history *history, const struct rp_night *night, int64_t fact,
                       int64_t behind, struct rp_word before, struct rp_word now,
                       struct hn_error *error)
{
    const int64_t place[] = {night->series, fact, behind};
    int64_t said;
    const int status =
        ask(history, rp_record_about(history, RP_SQL_CHANGE_AT, 3, place), &said, error);
    if (status)
        return status;
    if (said < 0)
        return set_change(history, night, fact, behind, before, error);
    if (said != now.answer)
        return HN_OK;
    return carry_out(history, rp_record_about(history, RP_SQL_DROP_CHANGE, 3, place), error);
}

/* How it was seen is kept of the first run that gives the answer: numbers in it change each night. */
static int put_changes(struct rp_history *history, const struct rp_night *night,
                       const struct rp_state_map *says, int64_t behind, struct hn_error *error)
{
    const size_t room = says->room > history->newest.room ? says->room : history->newest.room;
    int status = HN_OK;

    for (int64_t fact = 0; !status && fact < (int64_t)room; fact++) {
        const struct rp_word before = rp_map_get(&history->newest, fact);
        const struct rp_word now = rp_map_get(says, fact);
        if (now.answer == before.answer)
            continue;
        if (behind)
            status = keep_behind(history, night, fact, behind, before, now, error);
        if (!status)
            status = set_change(history, night, fact, night->at, now, error);
        if (!status)
            status = rp_map_set(&history->newest, fact, now, error);
    }
    return status;
}

static int add_row(struct rp_history *history, const struct rp_night *night, struct hn_error *error)
{
    sqlite3_stmt *statement =
        rp_record_about(history, RP_SQL_ADD_RUN, 2, (const int64_t[]){night->series, night->at});

    rp_record_bind(statement, 3, night->date);
    rp_record_bind(statement, 4, night->torch);
    rp_record_bind(statement, 5, night->git);
    rp_record_bind(statement, 6, night->backend);
    sqlite3_bind_int64(statement, 7, night->contract);
    rp_record_bind(statement, 8, night->digest);
    rp_record_bind(statement, 9, night->state);
    sqlite3_bind_int64(statement, 10, night->kept);
    sqlite3_bind_int64(statement, 11, night->total);
    sqlite3_bind_int64(statement, 12, night->promised);
    sqlite3_bind_int64(statement, 13, night->whole);
    return carry_out(history, statement, error);
}

int rp_record_put(struct rp_history *history, struct rp_night *night,
                  const struct rp_state_map *says, int *added, struct hn_error *error)
{
    const char *const series[] = {night->target, night->release, night->asked};
    int64_t before = 0, behind = 0, known = 0; /* 0: there is no such neighbour */

    *added = 0;
    int status =
        number_of(history, RP_SQL_FIND_SERIES, RP_SQL_ADD_SERIES, series, 3, &night->series, error);
    if (!status)
        status = look_for(history, night, &known, error);
    if (status || known >= 0)
        return status;
    status = find_place(history, night, error);
    if (!status)
        status = ask_of_run(history, RP_SQL_BEFORE, night, &before, error);
    if (!status)
        status = ask_of_run(history, RP_SQL_AFTER, night, &behind, error);
    if (!status)
        status = learn(history, night->series, before, error);
    if (!status)
        status = add_row(history, night, error);
    if (!status)
        status = put_changes(history, night, says, behind, error);
    history->newest_at = night->at;
    *added = !status;
    return status;
}
