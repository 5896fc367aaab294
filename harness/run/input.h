/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Input of a run: tasks in the order of the plan, the capabilities they need, the target, and
 * what the user asked for. Plain data, filled by session/ from the plan; constant during the run.
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
    const char *mode; /* isolation, see hn_isolations */
    const struct hn_load_step *steps;
    size_t step_count;
    const char *const *environment; /* "NAME=value" */
    size_t environment_count;
    const char *const *modules; /* where checks are */
    size_t module_count;
    const char *adapter, *device_name;
    const char *const *asked; /* capabilities that the adapter is asked about */
    size_t asked_count;
    const int32_t *devices;
    size_t device_count;
    int may_ask; /* what jobs may ask the backend of how things are: host/target/process_state.h */
    int exclusive; /* a device is there for one process at a time */
    int64_t load_ms, warm_up_ms, check_ms;
};

/* Command lines, NULL-terminated; "--control=FD" is added. */
struct hn_programs {
    const char *const *native; /* NULL: native checks run in the Python host */
    const char *const *python; /* NULL: there is no Python host */
};

struct hn_run_options {
    const char *folder;
    int resume, keep, no_block, plain;
    long
        most_failures; /* that the run goes on with, of those that decide its exit status; 0: any */
    const char *label; /* a side run: its progress is this one line on a terminal; or NULL */
    int only_forkable; /* ends when a host is not safe to be forked after loading: see the summary */
    int foreground;    /* jobs have our terminal: their input and output is ours */
    const char *const
        *under;      /* exec: words in front of the job's program, NULL-terminated; or NULL */
    FILE *out;       /* live progress; NULL: none */
    int hasty;       /* what passes its deadline gets no second chance, as in a proof */
    int colour;      /* of progress */
    int counts_only; /* of progress: no line for what failed, as in a proof, where it should */
    struct hn_orders orders;                     /* what jobs are told */
    const char *mode_reason;                     /* why this isolation mode */
    const struct hn_preflight_record *preflight; /* what its files say; NULL: not read */
    const char *doubt; /* what speaks against its loading, so that one job that does not load it
                              is enough: a sentence of the preflight, "" for an attempt; or NULL */
    const char *cannot_run; /* why nothing can be run: a run that says so; NULL: it can */
    int hosts, retries;
    int fail_on_should;
    double timeout_scale;
    int64_t run_ms; /* whole run; 0: no deadline */
    uint64_t seed;
    uint64_t shuffle;     /* 0: the plan's order */
    int64_t grace_ms;     /* between stack dump, TERM and KILL */
    int64_t refusal_ms;   /* how long the machine may refuse to start a host; 0: as usual */
    int64_t silence_ms;   /* a host may be late by this much before it is killed */
    int64_t folder_limit; /* bytes that a job may leave in its folder while it runs */
    const struct hn_target_record *description; /* what the target says of itself; NULL: unknown */
    struct hn_run_record
        header; /* of the journal; date, seed and checks are filled in by the run */
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

/* A task of its own is never without a deadline: seconds of the check, else the target's word. */
static inline int64_t hn_task_limit_ms(const struct hn_task *task,
                                       const struct hn_run_target *target)
{
    if (task->warm_up)
        return target->warm_up_ms;
    return task->check->timeout ? (int64_t)task->check->timeout * 1000 : target->check_ms;
}

#endif
