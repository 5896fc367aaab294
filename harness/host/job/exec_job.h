/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Exec mode: the job process becomes a fresh run of the host program, so that a target finds
 * neither a forked state nor us as its parent's copy. Called by job_process.c in the child.
 */
#ifndef HN_EXEC_JOB_H
#define HN_EXEC_JOB_H

#include "request.h"

/* Starts `program` with "--job=FD", FD holding setup and request. Returns only on failure. */
void hn_exec_job(const struct hn_setup *setup, const struct hn_wire *request,
                 const char *const *program, int progress);

#endif
