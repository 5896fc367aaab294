/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bare process, which a host keeps beside its jobs: it has torch and no target, and forks at
 * the request of a job, which costs a hundredth of a new interpreter
 * (assay/host/bare_process.py). It is a child of the host, and its children belong to the
 * running job. There is at most one. If there is none, or after it is lost, jobs start
 * interpreters.
 */
#ifndef HN_BARE_PROCESS_H
#define HN_BARE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "assay/check.h"

/* From now on `pid`, a child of this process, is not killed after a job, and jobs send requests
 * to it by the socket `requests`. Returns 0, or -1 if the kernel does not list children: then it
 * is not kept. For ctypes. [main] */
ASSAY_EXPORT int32_t hn_bare_keep(int32_t pid, int32_t requests);

/* The socket, in a job as well; -1 if there is no bare process. */
ASSAY_EXPORT int32_t hn_bare_requests(void);

/* In a program that exec mode started: the socket is inherited, and the process belongs to the
 * host. */
void hn_bare_inherit(int requests);

/* 0: there is none. */
pid_t hn_bare_pid(void);

/* As hn_descendants_end for the processes of a job, including those of the bare process.
 * Afterwards the bare process is ready for the next job, or ended. */
int hn_bare_end_others(void);

/* Processor time of the bare process and its children since the last call, to the nearest tick. */
int64_t hn_bare_spent_us(void);

/* Ends it when the host ends. */
void hn_bare_end(void);

#endif
