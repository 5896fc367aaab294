/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Removes System V shared memory segments that a job left behind. Such segments outlive the job's
 * processes, and the system limits their number. The kernel records which process created a
 * segment, so segments that a child of the job created are not found. Files in /dev/shm stay,
 * because other programs may use them.
 */
#ifndef HN_SHARED_MEMORY_H
#define HN_SHARED_MEMORY_H

#include <stddef.h>
#include <sys/types.h>

/* Called in the host before it forks a job: stores the list of segments. Jobs run one at a time. */
void hn_shared_memory_look(void);

/* Called after the last process of `job`: removes its segments and lists them in `text`, or "". */
void hn_shared_memory_remove(pid_t job, char *text, size_t size);

#endif
