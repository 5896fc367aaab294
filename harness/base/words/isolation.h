/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Isolation modes: a table of their properties. Code that depends on the mode must test a
 * property and never a name. To add a mode, add a row, a word in HN_ISOLATION_WORDS and a word
 * in the schema of the journal.
 */
#ifndef HN_ISOLATION_H
#define HN_ISOLATION_H

/* The names of the modes, for help pages. */
#define HN_ISOLATION_WORDS "fork-loaded|fork-clean|exec|batch|batch-loaded"

struct hn_isolation {
    const char *name;
    int loads_torch;  /* the host loads torch before it forks; otherwise each job loads torch */
    int loads_target; /* the host loads the target before it forks; otherwise each job loads it */
    /* a job stays in the forked process; otherwise that process starts a new program (exec) */
    int forks;
    int shares_process; /* several checks run in one process */
};

enum { HN_FORK_LOADED, HN_FORK_CLEAN, HN_EXEC, HN_BATCH, HN_BATCH_LOADED, HN_ISOLATIONS };
extern const struct hn_isolation hn_isolations[HN_ISOLATIONS];

/* Returns fork-clean for an unknown name. */
const struct hn_isolation *hn_isolation_of(const char *name);

#endif
