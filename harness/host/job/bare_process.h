/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bare process, which a host keeps beside its jobs, has loaded torch but no target. A fork of
 * this process, at the request of a job, costs a hundredth of a new interpreter
 * (assay/host/bare_process.py). A bare process is a child of the host; its own children belong to
 * the running job. A host has at most one bare process.
 * Without a bare process, jobs start interpreters.
 */
#ifndef HN_BARE_PROCESS_H
#define HN_BARE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "assay/check.h"

/* Makes the child `pid` the bare process: it is not killed after a job, and jobs send requests to
 * it by the socket `requests`. Returns 0, or -1 without effect if the kernel does not list
 * children. For ctypes. [main] */
ASSAY_EXPORT int32_t hn_bare_keep(int32_t pid, int32_t requests);

/* Returns the socket, also in a job; -1 if there is no bare process. */
ASSAY_EXPORT int32_t hn_bare_requests(void);

/* Called in a program that exec mode started: this program inherits the socket, and the host owns
 * the process. */
void hn_bare_inherit(int requests);

/* Returns 0 if there is no bare process. */
pid_t hn_bare_pid(void);

/* Ends the processes of a job as hn_descendants_end does, including the children of the bare
 * process. Afterwards the bare process is ready for the next job, or has been ended. */
int hn_bare_end_others(void);

/* Returns the processor time that the bare process and its children used since the last call. */
int64_t hn_bare_spent_us(void);

/* Ends the bare process. Called when the host ends. */
void hn_bare_end(void);

#endif
