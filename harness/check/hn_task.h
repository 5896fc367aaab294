/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run does, in order, and the capabilities that decide about it. Made by plan/ and by prove/,
 * carried out by run/. Plain data, constant during the run.
 */
#ifndef HN_TASK_H
#define HN_TASK_H

#include "hn_check.h"
#include "orders.h"

#define HN_NONE SIZE_MAX /* no task, no capability */

struct hn_task {
    const struct hn_check *check;
    struct hn_indices builds_on; /* earlier tasks */
    struct hn_indices
        fails_with; /* runs after these, whatever their verdict; a failure like theirs is theirs */
    struct hn_indices capabilities; /* that it needs */
    /* A pair of a proof, or a run with --arm: what is switched on in the target for this task alone. */
    const char *armed;       /* the name of the switch; NULL: none */
    struct hn_orders orders; /* what the jobs of this task are told beside those of the run */
    const char
        *setting;    /* "NAME=value": what switches it on, in the environment of the job before the
                            target is loaded; NULL: the target's adapter does, afterwards */
    size_t suffices; /* one that fails among its kind is enough, and the others are not run: 1 + the
                        first task of the kind; 0: each stands for itself */
    int warm_up;     /* no check: the first use of the device */
    int support; /* runs only because others build on it: another shard owns its verdict, and totals
                        do not count it */
};

struct hn_capability {
    const char *name;
    enum hn_claim claim; /* the profile's, else the adapter's; unknown: the probe decides */
    const char *source;  /* of the claim: "profile", "adapter"; "" or NULL: none */
    size_t probe;        /* task that shows that it works; HN_NONE */
    size_t refusal;      /* task that shows a clean refusal; HN_NONE */
};

#endif
