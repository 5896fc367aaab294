/* SPDX-License-Identifier: BSD-3-Clause
 *
 * State of one run, shared by its files, and who does what. Included by supervisor.c,
 * run_open.c, dispatch.c, hear.c, failed_start.c, judge.c and run_close.c alone; see README.md for their order.
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

/* One place for a host, and the jobs of the process under way in it. */
struct hn_slot {
    struct hn_link link;
    struct hn_supervisor *run;
    enum hn_slot_phase phase;
    int python;
    int loading;      /* its host has begun to load the target */
    int begun;        /* the process under way was heard of */
    const char *mode; /* of isolation, in which its host was started */
    int64_t started_ns;
    size_t tasks[HN_BATCH_ROOM];
    struct hn_job_order orders[HN_BATCH_ROOM];
    size_t count, at; /* jobs handed out; the one under way */
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
    int failed_starts; /* of hosts, in a row, in the mode of now */
    int deaf_hosts;    /* that loaded the target and then did not hear us, in the mode of now */
    int64_t start_us;  /* that the last host took to get ready; 0: none did */
    int64_t jobs_us;   /* that the jobs took which ended */
    size_t jobs_ended;
    int64_t refused_ms;   /* since the machine last started a host */
    const char *why_stop; /* for people; with HN_NEXT_STOP */
    int stopping;         /* nothing new is begun */
    long failures;        /* that decide the exit status */
    int interrupts;
    int status; /* HN_OK, or why the run itself broke */
};

/* Answer of each step that something can follow from; supervisor.c alone acts on it. A
 * negative code: the run itself cannot go on, and `error` says why. The largest counts. */
enum hn_next {
    HN_NEXT_NOTHING = HN_OK,
    HN_NEXT_GO_ON, /* something changed: settle, hand out, or end the run */
    HN_NEXT_STOP,  /* nothing new is begun, what is under way is ended; `why_stop` says why */
};

static inline int hn_next_of_both(int first, int second)
{
    if (first < 0 || second < 0)
        return first < 0 ? first : second;
    return first > second ? first : second;
}

/* ---- run_open.c, run_close.c: the folder, the journal, an earlier life; the summary */

int hn_run_open(struct hn_supervisor *run);
int hn_run_close(struct hn_supervisor *run);

/* ---- dispatch.c: hosts are started, jobs handed out */

int hn_dispatch_serve(struct hn_slot *slot);
/* Writes down that the next attempt at the job under way begins. */
int hn_dispatch_begin(struct hn_slot *slot);
/* How long the host may be silent about the job under way. */
int64_t hn_dispatch_patience_ms(const struct hn_slot *slot);

/* ---- hear.c: what hosts say, and their end */

int hn_hear_message(struct hn_slot *slot, const struct hn_wire *message);
int hn_hear_host_end(struct hn_slot *slot);

/* ---- failed_start.c: a host that does not get ready */

/* It says so itself: a stage and what was wrong. */
void hn_failed_start_told(struct hn_slot *slot, const char *stage, const char *problem);
/* It is gone without a word. */
void hn_failed_start_seen(struct hn_slot *slot);
/* It loaded the target, and what it was told next did not reach it. 1: so it was. */
int hn_failed_start_deaf(struct hn_slot *slot);
/* The machine started no process. It is asked again, until that has lasted too long. */
int hn_failed_start_refused(struct hn_slot *slot);
/* After too many in a row: another mode, or the end of the run. */
int hn_failed_start_follow(struct hn_supervisor *run);

/* ---- judge.c: from the end of a job to its verdict, and what follows from verdicts */

int hn_judge_job(struct hn_slot *slot, size_t index, const struct hn_ending *ending);
/* Jobs that were handed out with the last one and never begun wait again. */
void hn_judge_take_back(struct hn_slot *slot, size_t from);
/* Verdicts that follow from other verdicts, until something else follows; again until nothing does. */
int hn_judge_settle(struct hn_supervisor *run);

#endif
