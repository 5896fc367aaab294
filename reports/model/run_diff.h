/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Changes from one run to another, worst first and causes first. It says what is different,
 * not whose fault that is: that is for the gate.
 */
#ifndef RP_RUN_DIFF_H
#define RP_RUN_DIFF_H

#include "run_model.h"

enum rp_change_kind {
    RP_WORSE,   /* it was kept and is not, or it fails now and did not, though it was looked at */
    RP_VISIBLE, /* it fails now, and nobody could see it before: blocked, undecided, not run */
    RP_BETTER,  /* it was not kept and is */
    RP_OTHER,   /* another verdict, neither better nor worse for the level */
    RP_SEEN,    /* the same bad verdict, but something else was seen */
    RP_ADDED,   /* not in the first run */
    RP_REMOVED, /* not in the second run */
    RP_CHANGE_KINDS
};
extern const char *const rp_change_names[RP_CHANGE_KINDS];

struct rp_change {
    enum rp_change_kind kind;
    const struct rp_check *from, *to; /* NULL where it is added or removed */
    int under;                        /* follows the cause that blocks it (where better: blocked) */
};

struct rp_diff {
    const struct rp_run *from, *to;
    const struct rp_change *changes; /* by kind, in the order above */
    size_t change_count;
    size_t counts[RP_CHANGE_KINDS];
};

/* Both runs must live as long as the diff. On failure *diff is NULL. */
int rp_diff_make(const struct rp_run *from, const struct rp_run *to, struct rp_diff **diff,
                 struct hn_error *error);
void rp_diff_destroy(struct rp_diff *diff); /* takes NULL */

#endif
