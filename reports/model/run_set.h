/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Several runs side by side: modules, requirements, capabilities and checks are rows, runs are
 * columns. Rows have the order of the first run that contains them. Every renderer of several runs,
 * and diff, uses this set. A set of one run contains the tables of that run.
 */
#ifndef RP_RUN_SET_H
#define RP_RUN_SET_H

#include "run_model.h"

struct rp_share {
    size_t kept, total; /* numbers of checks; total 0: the run has no such check */
    enum hn_verdict worst;
};

struct rp_set_module {
    const char *name;
    const struct rp_share *in; /* by run */
};

/* `any` is from the first run that has the requirement, and has its texts. `in`: by run, NULL:
 * missing in that run. */
struct rp_set_requirement {
    const struct rp_requirement *any;
    const struct rp_requirement *const *in;
};

struct rp_set_capability {
    const struct rp_capability *any;
    const struct rp_capability *const *in;
};

struct rp_set_check {
    const struct rp_check *any;
    const struct rp_check *const *in;
    enum hn_verdict worst;
    size_t blocks; /* the largest number of checks that this check blocks in one run */
};

struct rp_set {
    const struct rp_run *const *runs;
    size_t run_count;
    const char *const
        /* by run: the target, and facts that distinguish it from runs of the same target */
        *labels;
    const struct rp_set_module *modules;
    size_t module_count;
    const struct rp_set_requirement *requirements;
    size_t requirement_count;
    const struct rp_set_capability *capabilities;
    size_t capability_count;
    const struct rp_set_check *checks;
    size_t check_count;
};

/* `runs` (at least one) must outlive the set. On failure *set is NULL. */
int rp_set_make(const struct rp_run *const *runs, size_t count, struct rp_set **set,
                struct hn_error *error);
void rp_set_destroy(struct rp_set *set); /* NULL is a no-op */

/* Writes the rows of checks that are bad, and neither blocked nor skipped, in at least one run. The
 * rows have the same order as in rp_run_troubles. Returns their number; `indices` has room for
 * every check. */
size_t rp_set_troubles(const struct rp_set *set, size_t *indices);

/* Lists every row once: troubles in the order of rp_set_troubles, each followed by the checks it
 * blocks (`under`), then the rest. `places` has room for every check. HN_OK or HN_ENOMEM. */
struct rp_place {
    size_t row;
    int under;
};
int rp_set_order(const struct rp_set *set, struct rp_place *places);

/* 1 for verdicts that count as held: pass, noted, flaky. */
int rp_is_kept(enum hn_verdict verdict);
/* Counts all requirements of a level, planned or not; total 0: unknown in this run. */
struct rp_share rp_level_share(const struct rp_run *run, enum hn_level level);
struct rp_share rp_module_share(const struct rp_module *module);

#endif
