/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared memory, which may outlive a job although all its processes are gone. A segment of System V
 * says which process made it, so it is removed (one that a child of the job made is not found). A file
 * in /dev/shm does not say so, and many programs make some. One is told when it is new, when the job
 * had it open at its end and when no process has it open any more; it is left alone, because another
 * program may come back for it by its name. So nothing is said of one that a neighbour made, nor of one
 * that the job had closed.
 */
#ifndef HN_SHARED_MEMORY_H
#define HN_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* In the host, before it forks a job: what is there. A host forks one job at a time. */
void hn_shared_memory_look(void);

/* In the job, at its end: inodes of what is new and open here. How many. */
size_t hn_shared_memory_held(uint64_t *inodes, size_t most);

/* In the host, after the last process of `job`: what it has left of what it held, and its segments, in
 * words; "": nothing. */
void hn_shared_memory_left(pid_t job, const uint64_t *held, size_t count, char *text, size_t size);

#endif
