/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs inside a job process, from the fork to `_exit`. Called by job_process.c in the child, and by
 * host_serve.c in an exec'ed program.
 */
#ifndef HN_JOB_H
#define HN_JOB_H

#include "request.h"

/* Report of the child to its host through the progress pipe. The report is written by one call, so
 * the host never reads a part of it. */
struct hn_stage_report {
    uint32_t job, stage;
};

/* Runs every job of the request in order and leaves by _exit. The function returns only for a job
 * that leaves by exit(), and then returns the exit status of the program. `target` is NULL if the
 * job must load it; `prepared` is 0 if it must prepare the program too. */
int hn_job_run(const struct hn_setup *setup, const struct hn_request *request,
               const struct hn_host_callbacks *callbacks, const struct hn_host_target *target,
               int prepared);

/* Ends this process at once, without exit handlers. The Python host calls it too. */
ASSAY_EXPORT _Noreturn void hn_job_leave(int status);

#endif
