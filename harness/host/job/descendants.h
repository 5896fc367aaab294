/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends every process that a job left behind, whatever group or session it went to. The caller is a
 * child subreaper: orphans become its children. Used by the host after each process, and by the
 * supervisor when a host died.
 */
#ifndef HN_DESCENDANTS_H
#define HN_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

/* Makes this process the one that orphans below it are handed to. */
int hn_descendants_adopt(void);

/* Kills and reaps all children of this process but those in `spared`, and what they leave in turn.
 * Returns how many processes were ended; -1 when one could not be killed within five seconds. */
int hn_descendants_end(const pid_t *spared, size_t spared_count);

/* Whether a program that `ancestor` or its children started from another file (a compiler, not a fork
 * of the job) has something to do right now; `name` says which. Looks for half a second. */
int hn_descendants_at_work(pid_t ancestor, char *name, size_t size);

/* Threads of this process; -1 when /proc cannot be read. */
int hn_thread_count(void);

/* Path of the first device file this process has open that no harmless program would (/dev/null,
 * terminals and random numbers are harmless). 1: found, 0: none. */
int hn_device_file_open(char *path, size_t size);

#endif
