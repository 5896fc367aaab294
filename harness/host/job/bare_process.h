/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one process that a host keeps beside its jobs: it has torch and no target, and forks at a job's
 * request, which costs a hundredth of a new interpreter (assay/host/bare_process.py). It is a child of
 * the host, and its children belong to the job under way. There is one or none: without it, and from the
 * moment at which it is lost, jobs start interpreters.
 */
#ifndef HN_BARE_PROCESS_H
#define HN_BARE_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "assay/check.h"

/* From now on `pid`, a child of this process, is spared, and jobs ask it by the socket `requests`. 0, or
 * -1 where the kernel does not list children: then it is not kept. For ctypes. [main] */
ASSAY_EXPORT int32_t hn_bare_keep(int32_t pid, int32_t requests);

/* The socket, in a job as well; -1: there is none. */
ASSAY_EXPORT int32_t hn_bare_requests(void);

/* In a program that exec mode started: the socket is inherited, the process is the host's. */
void hn_bare_inherit(int requests);

/* 0: none. */
pid_t hn_bare_pid(void);

/* hn_descendants_end for a job's processes, those of the bare process among them. Sees to it that the
 * next job finds it awake, or none. */
int hn_bare_end_others(void);

/* Processor time that it and its children have taken since the last call, to the nearest tick. */
int64_t hn_bare_spent_us(void);

/* Ends it, when the host ends. */
void hn_bare_end(void);

#endif
