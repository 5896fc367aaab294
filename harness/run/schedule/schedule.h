/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which task comes next, and which can be decided without running it. Pure bookkeeping: no process,
 * no file, no clock. Called by the supervisor whenever a host is free or a verdict has come in.
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
    unsigned char verdict;          /* enum hn_verdict, when done */
    unsigned char attempts;         /* begun */
    unsigned char retried;          /* how often a verdict that counts against it was set aside */
    unsigned char lost;             /* how often its host went down with it */
    unsigned char alone;            /* batch: this time in a process of its own */
    struct hn_first_attempt *first; /* while a second look at it is due or under way; else NULL */
    unsigned char late; /* its deadline passed: this time with more time, and nothing beside it */
    unsigned char hung; /* how many of those that stand on it never came to their end */
    size_t told;        /* the last of them */
    size_t enough; /* of the first task of a kind of which one failure suffices: 1 + what failed */
    uint64_t way;  /* in which it failed: hn_cause_of */
    size_t hub;    /* that it follows from; HN_NONE: none */
};

/* Experience of jobs with loading the target in one kind of host; tasks, or HN_NONE. */
struct hn_loading {
    int loaded;     /* a job got past it */
    size_t suspect; /* one job did not: this task is the second try, and the others wait for it */
    size_t refused; /* it did not, either: nothing else is tried */
};

struct hn_schedule {
    const struct hn_run_input *input;
    struct hn_task_state *states;
    size_t *order; /* in which tasks are looked at */
    size_t first;  /* in `order`: all before it are done or running */
    size_t running, done;
    struct hn_loading loading[2]; /* native, Python */
    int taken;                    /* one that wants all is under way: nothing else is begun */
    int unsettled;                /* a verdict came in that may decide others */
    int spoiled; /* something did not come out good: from now on every verdict may decide others */
};

/* `shuffle` 0 keeps the plan's order. */
int hn_schedule_init(struct hn_schedule *schedule, const struct hn_run_input *input,
                     uint64_t shuffle);
void hn_schedule_finish(struct hn_schedule *schedule);

/* Answer of the scheduler for a task that waits. */
enum hn_readiness {
    HN_READY,
    HN_NOT_YET, /* something it builds on is not decided */
    HN_DECIDED, /* `outcome` holds its verdict: blocked or skip */
};
enum hn_readiness hn_schedule_readiness(const struct hn_schedule *schedule, size_t task,
                                        struct hn_outcome *outcome, size_t *cause);

/* Which host kind a task runs in. */
int hn_schedule_is_python(const struct hn_schedule *schedule, size_t task);

/* Next tasks for one process of a host of kind `python` (-1: any kind; the first one decides). Up
 * to `room` of them when `batch`, else one. Returns how many. They are RUNNING afterwards. */
size_t hn_schedule_take(struct hn_schedule *schedule, int python, int batch, size_t room,
                        size_t *tasks);
/* Whether hn_schedule_take would find a task for a host of this kind, and which. */
int hn_schedule_peek(struct hn_schedule *schedule, int python, size_t *task);
/* How many tasks of a kind wait, ready or not. */
size_t hn_schedule_waiting(const struct hn_schedule *schedule, int python);
/* A waiting task that is decided without running, HN_NONE when there is none. Call until then. */
size_t hn_schedule_settle(struct hn_schedule *schedule, struct hn_outcome *outcome, size_t *cause);

void hn_schedule_done(struct hn_schedule *schedule, size_t task, enum hn_verdict verdict);
/* Back to waiting, for another attempt. */
void hn_schedule_again(struct hn_schedule *schedule, size_t task, int alone);

/* A job got past loading. */
void hn_schedule_loaded(struct hn_schedule *schedule, size_t task);
/* A job did not. Returns 1 when it has to be tried again; else its word stands, and when no job of
 * its kind got past loading, it also stands for all the others, which are blocked by it. `certain`:
 * there is another reason to think that the target cannot be loaded: one job is enough, and its
 * word stands for both kinds of host. */
int hn_schedule_load_failed(struct hn_schedule *schedule, size_t task, int certain);
/* Whether its failed loading stands for the others. */
int hn_schedule_refused(const struct hn_schedule *schedule, size_t task);

#endif
