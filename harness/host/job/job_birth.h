/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pipes between host and job process, and what a process does first to be a job. Called by
 * job_process.c around its fork.
 */
#ifndef HN_JOB_BIRTH_H
#define HN_JOB_BIRTH_H

#include <sys/types.h>

struct hn_job_pipes {
    int out[2], err[2], progress[2];
};

int hn_job_pipes_open(struct hn_job_pipes *pipes); /* 0, or -1 and nothing is open */
void hn_job_pipes_close(struct hn_job_pipes *pipes);

/* In the child: its own group, dies with its host, speaks only through its pipes, or in the foreground
 * to the terminal of the host. `control` is the host's and no business of a job. */
void hn_job_become(struct hn_job_pipes *pipes, pid_t host_pid, int control, int foreground);
/* Makes our process group the one that the terminal listens to; nothing without a terminal. */
void hn_terminal_take(void);

#endif
