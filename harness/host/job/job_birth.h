/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the pipes between host and job process, and does the first steps of a process that becomes
 * a job. Called by job_process.c around its fork.
 */
#ifndef HN_JOB_BIRTH_H
#define HN_JOB_BIRTH_H

#include <sys/types.h>

struct hn_job_pipes {
    int out[2], err[2], progress[2];
};

int hn_job_pipes_open(struct hn_job_pipes *pipes); /* returns 0, or -1 with nothing open */
void hn_job_pipes_close(struct hn_job_pipes *pipes);

/* Called in the child. The child gets its own process group, dies with its host, and writes only to
 * its pipes or, in the foreground, to the terminal of the host. The child closes `control`, which
 * belongs to the host. */
void hn_job_become(struct hn_job_pipes *pipes, pid_t host_pid, int control, int foreground);
/* Makes our process group the foreground group of the terminal. Without a terminal, this call is a
 * no-op. */
void hn_terminal_take(void);

#endif
