/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The supervisor's messages as structs: the setup of a host, and a request to run jobs in one
 * process. Built by host_serve.c from what came over the wire; texts live in the message.
 */
#ifndef HN_REQUEST_H
#define HN_REQUEST_H

#include <stdint.h>

#include "hn_check.h"
#include "host_callbacks.h"
#include "orders.h"
#include "wire.h"

#define HN_REQUEST_JOBS 256 /* in one process */

/* Where a job process is. Each stage has a deadline. */
enum hn_stage {
    HN_STAGE_START,
    HN_STAGE_LOAD,
    HN_STAGE_WARM_UP,
    HN_STAGE_CHECK,
    HN_STAGE_ENDED, /* the end record is written */
    HN_STAGE_LEAVE, /* exit handlers run */
    HN_STAGE_COUNT,
};
extern const char *const hn_stage_names[HN_STAGE_COUNT];

struct hn_job_row {
    struct hn_check check; /* the members that are sent */
    const char *nonce, *folder;
    uint64_t seed;
    int warm_up;             /* 1: no check; the first use of the device */
    const char *setting;     /* for the environment, before loading; NULL */
    const char *arm;         /* a switch of the adapter, on before the check; NULL */
    struct hn_orders orders; /* for this job beside those of the run */
};

struct hn_answer {
    const char *name;
    int32_t answer; /* ASSAY_YES... */
};

struct hn_request {
    int64_t limit_ms[HN_STAGE_COUNT]; /* 0: none */
    int64_t more_ms;                  /* for a check while a program works for it; 0: none */
    int64_t term_grace_ms;            /* between stack dump, TERM and KILL */
    int64_t folder_limit;             /* bytes */
    int progress;                     /* exec mode, in the job: where progress goes; else -1 */
    struct hn_job_row jobs[HN_REQUEST_JOBS];
    size_t job_count;
};

struct hn_setup {
    struct hn_host_setup host;
    struct hn_wire message; /* owns every text */
    struct hn_host_step *steps;
    const char **modules;
    int32_t *devices;
    struct hn_answer *claims;
    size_t claim_count;
    struct hn_orders orders; /* for all jobs */
    int may_ask;             /* of the backend, how things are: HN_MAY_... of process_state.h */
    int exclusive;           /* a job gets no more devices than it needs: others have the rest */
    int foreground;          /* jobs keep this program's input and output */
    const char **under;      /* exec: words in front of the job's program */
    size_t under_count;
    const char **asked; /* capabilities that the adapter is asked about, in a warm-up */
    size_t asked_count;
};

/* Takes over the message's memory. 0 or -1 (out of memory). */
int hn_setup_parse(struct hn_setup *setup, struct hn_wire *message);
void hn_setup_finish(struct hn_setup *setup);

/* Texts point into `message`. -1: no job, or too many. */
int hn_request_parse(struct hn_request *request, const struct hn_wire *message);

#endif
