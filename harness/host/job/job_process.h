/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One job process seen from outside: born by a fork, watched for output, progress, deadlines and
 * the size of its folder, ended with everything it started, and reported. Called by host_serve.c.
 */
#ifndef HN_JOB_PROCESS_H
#define HN_JOB_PROCESS_H

#include "job.h"

/* State of a host, shared by all its processes. */
struct hn_host {
    int control;
    struct hn_setup setup;
    const struct hn_host_callbacks *callbacks;
    const struct hn_host_target *target; /* loaded before the fork, else NULL */
    int prepared;
    const char *const *program; /* exec mode: what to start */
};

#define HN_PROCESS_DONE 0     /* in the host: reported, ready for the next */
#define HN_PROCESS_HANGUP 1   /* in the host: the supervisor is gone, nothing is left running */
#define HN_PROCESS_CHILD 2    /* in the job: leave the program with *status */
#define HN_PROCESS_ERROR (-1) /* in the host: no process could be made */

int hn_job_process_run(struct hn_host *host, const struct hn_request *request,
                       const struct hn_wire *message, int *status);

/* Async-signal-safe: kills the process group under way, if any. */
void hn_job_process_kill_now(void);

#endif
