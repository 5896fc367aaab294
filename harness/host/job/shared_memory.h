/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments of System V outlive the processes of a job, and the system has few of them. The system tells which process
 * made a segment, so the host removes those that the job's process made. A segment that a child of the
 * job made is not found, and a file in /dev/shm is left alone, because another program may use it by its name.
 */
#ifndef HN_SHARED_MEMORY_H
#define HN_SHARED_MEMORY_H

#include <stddef.h>
#include <sys/types.h>

/* In the host, before it forks a job: remembers the segments that exist. A host forks one job at a time. */
void hn_shared_memory_look(void);

/* In the host, after the last process of `job`: removes its segments and names them in `text`; "": there were none. */
void hn_shared_memory_remove(pid_t job, char *text, size_t size);

#endif
