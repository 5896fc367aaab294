/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The input of a run: tasks in the order of the plan, the capabilities that they need, the target,
 * and the options of the user. session/ fills in these structs from the plan. The structs are
 * constant during the run.
 */
#ifndef HN_INPUT_H
#define HN_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hn_task.h"
#include "record.h"

struct hn_load_step {
    const char *kind, *argument, *extra;
};

struct hn_run_target {
    const char *name;
    const char *mode; /* isolation mode, see hn_isolations */
    const struct hn_load_step *steps;
    size_t step_count;
    const char *const *environment; /* "NAME=value" */
    size_t environment_count;
    const char *const *modules; /* modules that contain the checks */
    size_t module_count;
    const char *adapter, *device_name;
    const char *const *asked; /* capabilities for which the adapter is queried */
    size_t asked_count;
    const int32_t *devices;
    size_t device_count;
    /* queries of the backend's state that jobs may make: host/target/process_state.h */
    int may_ask;
    int exclusive; /* a device serves one process at a time */
    int64_t load_ms, warm_up_ms, check_ms;
};

/* Command lines, NULL-terminated; "--control=FD" is appended. */
struct hn_programs {
    const char *const *native; /* NULL: native checks run in the Python host */
    const char *const *python; /* NULL: there is no Python host */
};

struct hn_run_options {
    const char *folder;
    int resume, keep, no_block, plain;
    long
        /* number of failures after which the run stops (only failures that decide the exit status
         * count); 0: no limit */
        most_failures;
    const char *label; /* for a calibration: text of its only line of progress; or NULL */
    int only_forkable; /* stop if a loaded host must not be forked: see the summary */
    int foreground;    /* jobs use our terminal for their input and output */
    const char *const
        *under; /* exec: words in front of the job's program, NULL-terminated; or NULL */
    FILE *out;  /* live progress; NULL: none */
    int hasty;  /* a job that passes its deadline is not repeated, as in a proof */
    int colour; /* progress is coloured */
    /* progress prints no line for failures, as in a proof, where failures are expected */
    int counts_only;
    struct hn_orders orders; /* orders to the jobs */
    const char *mode_reason; /* why this isolation mode was chosen */
    /* results of the preflight on the files of the target; NULL: not read */
    const struct hn_preflight_record *preflight;
    /* sentence of the preflight, or "": loading is expected to fail, so one failed job is enough;
     * or NULL */
    const char *doubt;
    /* why no check can be run, for a run that only reports this; NULL: checks can be run */
    const char *cannot_run;
    int hosts, retries;
    int fail_on_should;
    double timeout_scale;
    int64_t run_ms; /* deadline of the whole run; 0: none */
    uint64_t seed;
    uint64_t shuffle;     /* seed of the order; 0: the order of the plan */
    int64_t grace_ms;     /* time between stack dump, TERM and KILL */
    int64_t refusal_ms;   /* how long the system may fail to start a host; 0: the default */
    int64_t silence_ms;   /* a host is killed if it is late by more than this time */
    int64_t folder_limit; /* bytes that a job may leave in its folder while it runs */
    /* the target's description of itself; NULL: unknown */
    const struct hn_target_record *description;
    struct hn_run_record header; /* header of the journal; the run fills in date, seed and checks */
};

struct hn_run_input {
    const struct hn_task *tasks;
    size_t task_count;
    const struct hn_capability *capabilities;
    size_t capability_count;
    struct hn_run_target target;
    struct hn_programs programs;
    struct hn_run_options options;
};

/* Returns the deadline of a task that runs alone: the deadline of its check, else the deadline of
 * the target. */
static inline int64_t hn_task_limit_ms(const struct hn_task *task,
                                       const struct hn_run_target *target)
{
    if (task->warm_up)
        return target->warm_up_ms;
    const int64_t seconds = task->check->timeout;
    return (seconds ? seconds * 1000 : target->check_ms) + task->extra_ms;
}

#endif
