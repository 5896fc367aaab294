/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles one job process from outside: forks it, watches its output, progress, deadlines and
 * folder size, ends it with all its descendants, and reports its end. Called by host_serve.c.
 */
#ifndef HN_JOB_PROCESS_H
#define HN_JOB_PROCESS_H

#include "job.h"

/* State of a host, shared by all its processes. */
struct hn_host {
    int control;
    struct hn_setup setup;
    const struct hn_host_callbacks *callbacks;
    /* the target, if it is loaded before the fork; else NULL */
    const struct hn_host_target *target;
    int prepared;
    const char *const *program; /* exec mode: the program to start */
};

/* in the host: the job is reported, and the host is ready for the next job */
#define HN_PROCESS_DONE 0
/* in the host: the supervisor is gone, and no process is left running */
#define HN_PROCESS_HANGUP 1
#define HN_PROCESS_CHILD 2    /* in the job: end the program with *status */
#define HN_PROCESS_ERROR (-1) /* in the host: the process could not be created */

int hn_job_process_run(struct hn_host *host, const struct hn_request *request,
                       const struct hn_wire *message, int *status);

/* Async-signal-safe: kills the running process group, if any. */
void hn_job_process_kill_now(void);

#endif
