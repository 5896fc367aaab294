/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exec mode: the job process executes the host program again, so that a target never runs in a copy
 * of the host's memory. Called by job_process.c in the child.
 */
#ifndef HN_EXEC_JOB_H
#define HN_EXEC_JOB_H

#include "request.h"

/* Starts `program` with "--job=FD", where FD contains setup and request. Returns only on
 * failure. */
void hn_exec_job(const struct hn_setup *setup, const struct hn_wire *request,
                 const char *const *program, int progress);

#endif
