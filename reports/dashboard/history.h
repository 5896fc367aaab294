/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs over time, in one SQLite file: every verdict of every run, written down where it changed.
 * Called by command/report/cmd_history.c. history_file.h says how it is kept; SQLite is known to history_file.c and record_*.c alone.
 */
#ifndef RP_HISTORY_H
#define RP_HISTORY_H

#include <stdint.h>
#include <stdio.h>

#include "run_model.h"

/* The state of a backend on a torch by one run, looking at musts. */
enum rp_state {
    RP_COMPATIBLE, /* complete, and no must fails or is undecided */
    RP_BREAKS,     /* a must fails */
    RP_UNDECIDED,  /* not complete, or a must that could not be decided */
    RP_PARTIAL,    /* nothing of that, but not all of the contract was asked */
    RP_STATES
};
extern const char *const rp_state_names[RP_STATES];
enum rp_state rp_state_of(const struct rp_run *run);
/* The part of the contract that a run asked: "" all of it, else its selection and shard. */
void rp_asked_of(const struct rp_run *run, char *asked, size_t size);

/* "2.13" of "2.13.0+cpu"; the whole text when it does not begin with two numbers. Cut to size. */
void rp_release_of(const char *torch, char *release, size_t size);

struct rp_history;

/* An older form is taken over in one transaction, except where the file is only read. */
enum rp_opening { RP_READ_ONLY, RP_THERE, RP_MAKE };
/* HN_EINPUT, and the file as it was, when it is no history of ours, damaged, of a newer form, or not
 * there (RP_MAKE makes it). */
int rp_history_open(const char *path, enum rp_opening opening, struct rp_history **history,
                    struct hn_error *error);
void rp_history_close(struct rp_history *history); /* takes NULL */
/* A run that is known already (target, torch, date, contract, what it asked) changes nothing: *added
 * is 0. A run between others leaves them as they are. `backend`: its revision, "" when not known. */
int rp_history_add(struct rp_history *history, const struct rp_run *run, const char *backend,
                   int *added, struct hn_error *error);
/* The runs of another history, as of another machine, all or none; known ones change nothing. The
 * other file is only read. */
int rp_history_take(struct rp_history *history, const char *path, int *added, int *known,
                    struct hn_error *error);
#define RP_LINE_SCHEMA "assay/history-run/1"
/* JSON lines, one for each run; what is imported is all of a file or nothing. */
int rp_history_export(struct rp_history *history, FILE *out, struct hn_error *error);
int rp_history_import(struct rp_history *history, const char *path, int *added, int *known,
                      struct hn_error *error);

#endif
