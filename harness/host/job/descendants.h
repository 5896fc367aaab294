/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends every process that a job left behind, in any process group or session. The caller is a
 * child subreaper, so orphans become its children. Called by the host after each process, and by
 * the supervisor when a host died.
 */
#ifndef HN_DESCENDANTS_H
#define HN_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

/* Makes this process the subreaper of its descendants. */
int hn_descendants_adopt(void);

/* Kills and reaps all children of this process except those in `spared`, and the orphans that they
 * leave. Returns the number of ended processes, or -1 if a process could not be killed within five
 * seconds. */
int hn_descendants_end(const pid_t *spared, size_t spared_count);

/* Returns 1 and the name of a running program that `ancestor` or its children started from another
 * file (a compiler, not a fork of the job). Samples for half a second. */
int hn_descendants_at_work(pid_t ancestor, char *name, size_t size);

/* Returns the number of threads of this process; -1 if /proc cannot be read. */
int hn_thread_count(void);

/* Finds the first open device file of this process, except harmless ones (/dev/null, terminals and
 * random numbers). Returns 1 and its path, or 0. */
int hn_device_file_open(char *path, size_t size);

#endif
