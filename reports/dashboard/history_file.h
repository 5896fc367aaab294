/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file of a history, for the files here that know SQLite: history_file.c, record_*.c. What it holds:
 *   series  what is compared: a target, a release of torch, a part of the contract
 *   run     one night of a series; `at` orders them
 *   fact    something that a run says a word about: a check, a clause, a capability, the stage that is reached
 *   answer  such a word, as text: level, verdict, clauses, key of the cause
 *   change  from this run on the series gives this answer; nothing stands where nothing changed
 * Python reads the same tables for the pages (harness/python/assay/history/record.py).
 */
#ifndef RP_HISTORY_FILE_H
#define RP_HISTORY_FILE_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "history.h"
#include "json_fields.h"

#define RP_FORM 3
#define RP_APPLICATION 0x61737379 /* "assy": marks the file as ours */
#define RP_GONE 0                 /* the answer of a fact that the contract does not have */
#define RP_SEEN_MOST 400
#define RP_STAGE_FACT "reached" /* the only fact of kind stage */

enum rp_sql {
    RP_SQL_BEGIN,
    RP_SQL_COMMIT,
    RP_SQL_ROLLBACK,
    RP_SQL_FIND_SERIES,
    RP_SQL_ADD_SERIES,
    RP_SQL_FIND_FACT,
    RP_SQL_ADD_FACT,
    RP_SQL_FIND_ANSWER,
    RP_SQL_ADD_ANSWER,
    RP_SQL_FIND_WORDS,
    RP_SQL_ADD_WORDS,
    RP_SQL_KNOWN_RUN,
    RP_SQL_TAKEN_AT,
    RP_SQL_ADD_RUN,
    RP_SQL_BEFORE,
    RP_SQL_AFTER,
    RP_SQL_STATE_AT,
    RP_SQL_CHANGE_AT,
    RP_SQL_SET_CHANGE,
    RP_SQL_DROP_CHANGE,
    RP_SQL_ALL_SERIES,
    RP_SQL_RUNS_OF,
    RP_SQL_CHANGES_OF,
    RP_SQL_FACT_OF,
    RP_SQL_ANSWER_OF,
    RP_SQL_WORDS_OF,
    RP_SQLS
};

/* The words of a series at one run: by the number of the fact. */
struct rp_word {
    int64_t answer, seen;
};
struct rp_state_map {
    struct rp_word *words;
    size_t room;
};

struct rp_history {
    sqlite3 *file;
    sqlite3_stmt *prepared[RP_SQLS];
    struct rp_state_map newest; /* of the series below at its newest run */
    int64_t newest_series, newest_at;
};

/* One fact of a run, in words. */
struct rp_fact {
    const char *kind, *name, *level, *verdict, *covers, *cause, *seen;
};

/* A run without what it says. Texts that are not known are "". */
struct rp_night {
    const char *target, *release, *asked;
    const char *torch, *git, *backend, *date, *digest, *state;
    int contract, kept, total, promised;
    int whole; /* 0: an older assay kept its troubles alone */
    int64_t series, at;
};

/* Both as members of a line of the export. */
extern const struct hn_field rp_fact_fields[], rp_night_fields[];

int rp_record_complain(const struct rp_history *history, struct hn_error *error, const char *what);
/* Ready to bind: prepared once, reset each time. NULL: the file refuses. */
sqlite3_stmt *rp_record_sql(struct rp_history *history, enum rp_sql which);
/* The same with its first places bound. */
sqlite3_stmt *rp_record_about(struct rp_history *history, enum rp_sql which, int count,
                              const int64_t *numbers);
void rp_record_bind(sqlite3_stmt *statement, int place, const char *text);
const char *rp_record_text(sqlite3_stmt *statement, int column);
int rp_record_run(struct rp_history *history, enum rp_sql which, struct hn_error *error);
int rp_record_script(struct rp_history *history, const char *sql, struct hn_error *error);
/* Commits when status is HN_OK, else rolls back. The status of both. */
int rp_record_end(struct rp_history *history, int status, struct hn_error *error);

/* Makes the tables of this form in an empty file, or takes an older form over. */
int rp_record_make(struct rp_history *history, struct hn_error *error);
int rp_record_from_2(struct rp_history *history, struct hn_error *error);

/* record_put.c: within a transaction */
int rp_map_set(struct rp_state_map *map, int64_t fact, struct rp_word word, struct hn_error *error);
struct rp_word rp_map_get(const struct rp_state_map *map, int64_t fact);
void rp_map_finish(struct rp_state_map *map);
/* Takes the word of a fact into what a run says. */
int rp_record_say(struct rp_history *history, const struct rp_fact *fact, struct rp_state_map *says,
                  struct hn_error *error);
/* *added is 0 when the run is known already. Fills series and at. */
int rp_record_put(struct rp_history *history, struct rp_night *night,
                  const struct rp_state_map *says, int *added, struct hn_error *error);

/* record_walk.c: every run of the file, series by series, oldest first, with what it says. */
struct rp_step {
    struct rp_night night;
    const struct rp_state_map *says;
    const int64_t *changed; /* facts that say another word than the run before of the series */
    size_t changed_count;
    const char *before; /* date of that run; NULL: there is none */
};
typedef int (*rp_walker)(void *context, const struct rp_step *step, struct hn_error *error);
int rp_record_walk(struct rp_history *history, rp_walker walker, void *context,
                   struct hn_error *error);
/* The words of a fact and its answer, valid until the next call of the same history. */
int rp_record_words(struct rp_history *history, int64_t fact, struct rp_word word,
                    struct rp_fact *words, struct hn_error *error);

/* Seconds since 1970 of "2026-11-21T03:17:00Z" or "2026-11-21"; -1: it is no date. */
int64_t rp_seconds_of(const char *date);

#endif
