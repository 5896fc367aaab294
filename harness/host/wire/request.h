/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The supervisor's messages as structs: the setup of a host, and a request to run jobs in one
 * process. host_serve.c makes them from received messages, which own the texts.
 */
#ifndef HN_REQUEST_H
#define HN_REQUEST_H

#include <stdint.h>

#include "hn_check.h"
#include "host_callbacks.h"
#include "orders.h"
#include "wire.h"

#define HN_REQUEST_JOBS 256 /* largest number of jobs in one process */

/* Stages of a job process. Each stage has a deadline. */
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
    struct hn_check check; /* only members that are sent */
    const char *nonce, *folder;
    uint64_t seed;
    int warm_up;             /* 1: a warm-up, not a check */
    const char *setting;     /* environment variable that is set before loading; or NULL */
    const char *arm;         /* a switch of the adapter that is on before the check; or NULL */
    struct hn_orders orders; /* orders of this job, in addition to the orders of the run */
};

struct hn_answer {
    const char *name;
    int32_t answer; /* ASSAY_YES, ASSAY_NO or ASSAY_UNKNOWN */
};

struct hn_request {
    int64_t limit_ms[HN_STAGE_COUNT]; /* 0: no limit */
    /* extension for a check while a program works for it; 0: none */
    int64_t more_ms;
    int64_t term_grace_ms; /* time between stack dump, TERM and KILL */
    int64_t folder_limit;  /* bytes */
    /* exec mode, in the job: file descriptor for progress; else -1 */
    int progress;
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
    /* queries that do not start a device: HN_MAY_... of process_state.h */
    int may_ask;
    /* a job gets only the devices that it needs, because others use the rest */
    int exclusive;
    int foreground;     /* jobs use this program's input and output */
    const char **under; /* exec: words in front of the job's program */
    size_t under_count;
    const char **asked; /* capabilities for which a warm-up queries the adapter */
    size_t asked_count;
};

/* Takes ownership of the message's memory. Returns 0, or -1 (out of memory). */
int hn_setup_parse(struct hn_setup *setup, struct hn_wire *message);
void hn_setup_finish(struct hn_setup *setup);

/* Texts refer to `message`. Returns 0, or -1 if there is no job or there are too many jobs. */
int hn_request_parse(struct hn_request *request, const struct hn_wire *message);

#endif
