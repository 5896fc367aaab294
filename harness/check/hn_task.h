/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tasks of a run, in order, and the capabilities that decide whether they run. plan/ and prove/
 * make the tasks, and run/ executes them. Plain data, constant during the run.
 */
#ifndef HN_TASK_H
#define HN_TASK_H

#include "hn_check.h"
#include "orders.h"

#define HN_NONE SIZE_MAX /* no task, or no capability */

struct hn_task {
    const struct hn_check *check;
    struct hn_indices builds_on; /* earlier tasks that must hold before this task runs */
    struct hn_indices
        /* this task runs after these tasks, whatever their verdicts. If this task fails in the same
         * way as such a task, the failure is attributed to that task */
        fails_with;
    struct hn_indices capabilities; /* capabilities that the task needs */
    /* For a pair of a proof, or a run with --arm: the switch that is on in the target during this
     * task only. */
    const char *armed;       /* the name of the switch; NULL: none */
    struct hn_orders orders; /* for the jobs of this task, in addition to the run's orders */
    int64_t extra_ms;        /* added to the time limit of the task */
    const char
        /* "NAME=value": environment variable that turns the switch on before the target is
         * loaded; NULL: the adapter of the target turns it on after loading */
        *setting;
    /* 1 + the index of the first task of its kind. If one task of the kind fails, the other tasks
     * of the kind are not run. 0: the task is independent */
    size_t suffices;
    int warm_up; /* not a check, but the first use of the device */
    /* runs only because other tasks build on it: another shard owns its verdict, and totals do
     * not count it */
    int support;
};

struct hn_capability {
    const char *name;
    /* from the profile, else from the adapter; if unknown, the probe decides */
    enum hn_claim claim;
    /* origin of the claim: "profile" or "adapter"; "" or NULL: there is no claim */
    const char *source;
    size_t probe; /* the task that shows that the capability works; or HN_NONE */
    /* the task that shows that the capability is refused cleanly; or HN_NONE */
    size_t refusal;
};

#endif
