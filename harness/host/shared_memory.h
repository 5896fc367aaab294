/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What may outlive a job although all its processes are gone: shared memory. A segment of System V says
 * which process made it, so it is removed (one that a child of the job made is not found). A file in
 * /dev/shm does not say so: one that is new, ours and open in no process is told and left alone, because
 * another program may come back for it by its name.
 */
#ifndef HN_SHARED_MEMORY_H
#define HN_SHARED_MEMORY_H

#include <stddef.h>
#include <sys/types.h>

#define HN_SHARED_MOST 512

struct hn_shared_memory {
    size_t file_count, segment_count; /* over HN_SHARED_MOST: too many, or nobody could look */
    ino_t files[HN_SHARED_MOST];
    int segments[HN_SHARED_MOST];
};

/* Before a job: what is there. */
void hn_shared_memory_look(struct hn_shared_memory *before);

/* After the last process of `job`: what it has left, in words; "": nothing. `alone`: one check ran in it. */
void hn_shared_memory_left(const struct hn_shared_memory *before, pid_t job, int alone, char *text,
                           size_t size);

#endif
