/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See job_birth.h.
 */
#include "job_birth.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void close_pair(int pair[2])
{
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
}

void hn_job_pipes_close(struct hn_job_pipes *pipes)
{
    close_pair(pipes->out);
    close_pair(pipes->err);
    close_pair(pipes->progress);
}

int hn_job_pipes_open(struct hn_job_pipes *pipes)
{
    *pipes = (struct hn_job_pipes){{-1, -1}, {-1, -1}, {-1, -1}};
    if (pipe2(pipes->out, O_CLOEXEC) == 0 && pipe2(pipes->err, O_CLOEXEC) == 0 &&
        pipe2(pipes->progress, O_CLOEXEC) == 0)
        return 0;
    hn_job_pipes_close(pipes);
    return -1;
}

static void redirect(const struct hn_job_pipes *pipes)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(pipes->out[1], STDOUT_FILENO);
    dup2(pipes->err[1], STDERR_FILENO);
    close(nothing);
}

void hn_terminal_take(void)
{
    if (!isatty(STDIN_FILENO))
        return;
    /* otherwise tcsetpgrp would stop this process */
    void (*const before)(int) = signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, getpgrp());
    signal(SIGTTOU, before);
}

void hn_job_become(struct hn_job_pipes *pipes, pid_t host_pid, int control, int foreground)
{
    const struct rlimit no_core = {0, 0};
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != host_pid)
        _exit(0);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    if (foreground)
        hn_terminal_take();
    else
        redirect(pipes);
    close_pair(pipes->out);
    close_pair(pipes->err);
    close(pipes->progress[0]);
    close(control);
}
