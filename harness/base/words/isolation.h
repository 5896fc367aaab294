/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How checks are kept apart: the modes as a table of properties. Whoever acts by mode asks for a
 * property, never for a name. A new mode is a row, a word in HN_ISOLATION_WORDS and one in the
 * journal's schema.
 */
#ifndef HN_ISOLATION_H
#define HN_ISOLATION_H

/* For the page of a command. */
#define HN_ISOLATION_WORDS "fork-loaded|fork-clean|exec|batch|batch-loaded"

struct hn_isolation {
    const char *name;
    int loads_torch;    /* the host does, before it forks; else each job */
    int loads_target;   /* the host loads the target, before it forks; else each job */
    int forks;          /* a job stays in the forked process; else that becomes a fresh program */
    int shares_process; /* several checks run in one process */
};

enum { HN_FORK_LOADED, HN_FORK_CLEAN, HN_EXEC, HN_BATCH, HN_BATCH_LOADED, HN_ISOLATIONS };
extern const struct hn_isolation hn_isolations[HN_ISOLATIONS];

/* Of an unknown name: fork-clean. */
const struct hn_isolation *hn_isolation_of(const char *name);

#endif
