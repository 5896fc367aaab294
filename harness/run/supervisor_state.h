/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of one run, which these files share, and the functions of each file. Only
 * supervisor.c, run_open.c, dispatch.c, hear.c, failed_start.c, judge.c and run_close.c may
 * include this header; README.md gives the order of these files.
 */
#ifndef HN_SUPERVISOR_STATE_H
#define HN_SUPERVISOR_STATE_H

#include <uv.h>

#include "host_link.h"
#include "host_message.h"
#include "journal.h"
#include "progress.h"
#include "schedule.h"
#include "supervisor.h"

#define HN_BATCH_ROOM 32

enum hn_slot_phase { SLOT_EMPTY, SLOT_STARTING, SLOT_IDLE, SLOT_BUSY, SLOT_LEAVING };

/* A slot for one host, and the jobs of the process that runs in it. */
struct hn_slot {
    struct hn_link link;
    struct hn_supervisor *run;
    enum hn_slot_phase phase;
    int python;
    int loading;      /* its host has started to load the target */
    int begun;        /* a message about the running process has arrived */
    const char *mode; /* isolation mode in which its host was started */
    int64_t started_ns;
    size_t tasks[HN_BATCH_ROOM];
    struct hn_job_order orders[HN_BATCH_ROOM];
    size_t count, at; /* number of jobs handed out; index of the running job */
};

struct hn_supervisor {
    const struct hn_run_input *input;
    struct hn_run_summary *summary;
    struct hn_error *error;
    const char *mode;
    struct hn_schedule schedule;
    struct hn_journal journal;
    struct hn_progress progress;
    uv_loop_t loop;
    uv_signal_t interrupt, terminate, hang_up;
    uv_timer_t deadline, second;
    struct hn_slot *slots;
    size_t slot_count;
    int failed_starts; /* hosts in a row that failed to start, in the present mode */
    /* hosts that loaded the target and then received no message, in the present mode */
    int deaf_hosts;
    int64_t start_us; /* time that the last host took to become ready; 0: none became ready */
    int64_t jobs_us;  /* time of the jobs that ended */
    size_t jobs_ended;
    int64_t refused_ms;   /* time since the system last started a host */
    const char *why_stop; /* for people; set with HN_NEXT_STOP */
    int stopping;         /* no new job is started */
    long failures;        /* failures that decide the exit status */
    int interrupts;
    int status; /* HN_OK, or why the run itself cannot continue */
};

/* Result of each step. Only supervisor.c acts on this result. A negative code: the run itself
 * cannot continue, and `error` says why. If steps are combined, the largest value counts. */
enum hn_next {
    HN_NEXT_NOTHING = HN_OK,
    HN_NEXT_GO_ON, /* state has changed: decide tasks, hand out jobs, or end the run */
    HN_NEXT_STOP,  /* start nothing new and end the running jobs; `why_stop` gives the reason */
};

static inline int hn_next_of_both(int first, int second)
{
    if (first < 0 || second < 0)
        return first < 0 ? first : second;
    return first > second ? first : second;
}

/* ---- run_open.c, run_close.c: the folder, the journal, resuming; the summary */

int hn_run_open(struct hn_supervisor *run);
int hn_run_close(struct hn_supervisor *run);

/* ---- dispatch.c: starts hosts and hands out jobs */

int hn_dispatch_serve(struct hn_slot *slot);
/* Records in the journal that the next attempt at the current job begins. */
int hn_dispatch_begin(struct hn_slot *slot);
/* Returns how long the host may be silent during the current job. */
int64_t hn_dispatch_patience_ms(const struct hn_slot *slot);

/* ---- hear.c: messages of hosts, and their end */

int hn_hear_message(struct hn_slot *slot, const struct hn_wire *message);
int hn_hear_host_end(struct hn_slot *slot);

/* ---- failed_start.c: hosts that do not become ready */

/* Called if the host reported the failed stage and the error. */
void hn_failed_start_told(struct hn_slot *slot, const char *stage, const char *problem);
/* Called if the host ended without a message. */
void hn_failed_start_seen(struct hn_slot *slot);
/* Returns 1 if the host loaded the target and the next message did not reach the host. */
int hn_failed_start_deaf(struct hn_slot *slot);
/* Called if the system could not start a process. The start is repeated for a limited time. */
int hn_failed_start_refused(struct hn_slot *slot);
/* After too many failures in a row, chooses another mode or ends the run. */
int hn_failed_start_follow(struct hn_supervisor *run);

/* ---- judge.c: from the end of a job to its verdict, and its consequences */

int hn_judge_job(struct hn_slot *slot, size_t index, const struct hn_ending *ending);
/* Puts the jobs back into the queue that were handed out together and never started. */
void hn_judge_take_back(struct hn_slot *slot, size_t from);
/* Decides tasks whose verdicts follow from other verdicts. Call it again until nothing changes. */
int hn_judge_settle(struct hn_supervisor *run);

#endif
