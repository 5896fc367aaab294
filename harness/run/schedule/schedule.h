/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which task comes next, and which tasks get a verdict without running. This file must not
 * use processes, files or the clock. Called by the supervisor when a host is free or a verdict has
 * arrived.
 */
#ifndef HN_SCHEDULE_H
#define HN_SCHEDULE_H

#include "hn_error.h"
#include "input.h"
#include "outcome.h"

enum hn_task_phase { HN_TASK_WAITING, HN_TASK_RUNNING, HN_TASK_DONE };

struct hn_first_attempt; /* second_look.h */

struct hn_task_state {
    unsigned char phase;            /* enum hn_task_phase */
    unsigned char verdict;          /* enum hn_verdict, when the phase is done */
    unsigned char attempts;         /* number of attempts that were started */
    unsigned char retried;          /* number of attempts whose bad verdict was set aside */
    unsigned char lost;             /* number of attempts whose host died */
    unsigned char alone;            /* batch: the next attempt gets a process of its own */
    struct hn_first_attempt *first; /* set while a second look is due or running; else NULL */
    /* it exceeded its deadline: the next attempt gets more time and runs alone */
    unsigned char late;
    unsigned char hung; /* number of tasks above this task that never ended */
    size_t told;        /* the last task counted in `hung` */
    /* in the first task of a kind (`suffices`): 1 + the task of the kind that failed; 0: none */
    size_t enough;
    uint64_t way; /* how the task failed: hn_cause_of */
    size_t hub;   /* hub that it follows from; or HN_NONE */
};

/* Results of loading the target in one kind of host. The members are tasks, or HN_NONE. */
struct hn_loading {
    int loaded; /* a job loaded the target successfully */
    /* after a failed load: the task that tries again, while the other tasks wait */
    size_t suspect;
    size_t refused; /* the task whose second try failed too; it blocks the other tasks */
};

struct hn_schedule {
    const struct hn_run_input *input;
    struct hn_task_state *states;
    size_t *order; /* the order in which tasks are examined */
    size_t first;  /* index into `order`: all tasks before it are done or running */
    size_t running, done;
    struct hn_loading loading[2]; /* native, Python */
    /* a task that needs all devices is running: no other is started */
    int taken;
    int unsettled; /* a new verdict may decide other tasks */
    int spoiled;   /* a verdict was not good: now every verdict may decide other tasks */
};

/* With `shuffle` 0 the tasks have the order of the plan. */
int hn_schedule_init(struct hn_schedule *schedule, const struct hn_run_input *input,
                     uint64_t shuffle);
void hn_schedule_finish(struct hn_schedule *schedule);

/* Takes the next tasks for one process of a host of kind `python` (-1: the kind of the first task):
 * up to `room` tasks if `batch`, else one. Sets their phase to RUNNING and returns their number. */
size_t hn_schedule_take(struct hn_schedule *schedule, int python, int batch, size_t room,
                        size_t *tasks);
/* Returns 1 and the task that hn_schedule_take would find for a host of this kind, or 0. */
int hn_schedule_peek(struct hn_schedule *schedule, int python, size_t *task);
/* Returns the number of waiting tasks of a kind, ready or not. */
size_t hn_schedule_waiting(const struct hn_schedule *schedule, int python);
/* Returns a waiting task that is decided without running, or HN_NONE. Call it until it returns
 * HN_NONE. */
size_t hn_schedule_settle(struct hn_schedule *schedule, struct hn_outcome *outcome, size_t *cause);

void hn_schedule_done(struct hn_schedule *schedule, size_t task, enum hn_verdict verdict);
/* Puts the task back into the queue for another attempt. */
void hn_schedule_again(struct hn_schedule *schedule, size_t task, int alone);

/* Records that a job loaded the target. */
void hn_schedule_loaded(struct hn_schedule *schedule, size_t task);
/* Records that a job failed to load the target. Returns 1 if the job must be tried again. Otherwise
 * the verdict of the job is final. If no job of this kind has loaded the target, the verdict blocks
 * all other tasks of the kind. `certain` means that the target is expected not to load, so one job
 * is enough, and its verdict holds for both kinds of host. */
int hn_schedule_load_failed(struct hn_schedule *schedule, size_t task, int certain);
/* Returns 1 if this task's failure to load the target blocks the other tasks. */
int hn_schedule_refused(const struct hn_schedule *schedule, size_t task);

#endif
