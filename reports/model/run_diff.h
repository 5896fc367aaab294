/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes from one run to another: the worst kind first, and each cause before the checks that it
 * blocks. A diff lists differences; only the gate decides why they occurred.
 */
#ifndef RP_RUN_DIFF_H
#define RP_RUN_DIFF_H

#include "run_model.h"

enum rp_change_kind {
    RP_WORSE,   /* the check held and does not hold now, or it fails now with another verdict */
    RP_VISIBLE, /* the check fails now, and had no verdict before: blocked, undecided, not run */
    RP_BETTER,  /* the check did not hold before, and holds now */
    RP_MENDED,  /* the check failed before, and is now unobservable */
    RP_OTHER,   /* another verdict, neither better nor worse for the level */
    RP_SEEN,    /* the same bad verdict, but another observation */
    RP_ADDED,   /* missing in the first run */
    RP_REMOVED, /* missing in the second run */
    RP_CHANGE_KINDS
};
extern const char *const rp_change_names[RP_CHANGE_KINDS];

struct rp_change {
    enum rp_change_kind kind;
    const struct rp_check *from, *to; /* NULL if the check was added or removed */
    /* a check that became better is listed under the check that blocked it before, any other check
     * under the check that blocks it now */
    int under;
};

struct rp_diff {
    const struct rp_run *from, *to;
    const struct rp_change *changes; /* by kind, in the order above */
    size_t change_count;
    size_t counts[RP_CHANGE_KINDS];
};

/* Both runs must outlive the diff. On failure *diff is NULL. */
int rp_diff_make(const struct rp_run *from, const struct rp_run *to, struct rp_diff **diff,
                 struct hn_error *error);
void rp_diff_destroy(struct rp_diff *diff); /* NULL is a no-op */

#endif
