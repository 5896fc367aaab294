/* SPDX-License-Identifier: BSD-3-Clause
 *
 * hn_plugin_try, see plugin_trial.h. Parent and child share one page: the stage reached, the number
 * of forks seen, the result. The parent waits on a pidfd with a deadline; nothing outlives the
 * trial.
 */
#include "plugin_trial.h"
#include "plugin_loader.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct trial {
    char stage[32];
    char forked_in[32]; /* stage of the first fork, "" if none */
    char text[512];
    int status;
    int finished; /* the result above is valid */
};

static struct trial *forks_of; /* set in the child only; pthread_atfork takes no argument */

static void count_fork(void)
{
    if (forks_of->forked_in[0] == '\0') {
        memcpy(forks_of->forked_in, forks_of->stage, sizeof forks_of->forked_in);
    }
}

static void remember_stage(void *context, const char *stage)
{
    struct trial *const trial = context;
    snprintf(trial->stage, sizeof trial->stage, "%s", stage);
}

static int load_and_unload(struct trial *trial, const char *path, const char *factory)
{
    const struct hn_plugin_terms terms = {.stage = remember_stage, .context = trial};
    struct hn_plugin *plugin;
    int status = hn_plugin_load(path, &terms, &plugin, trial->text, sizeof trial->text);
    if (status != ASSAY_OK) {
        return status;
    }
    const void *table = plugin;
    if (factory != NULL && strcmp(factory, ASSAY_CHECK_FACTORY) == 0) {
        table = hn_plugin_checks(plugin, trial->text, sizeof trial->text);
    } else if (factory != NULL) {
        table = hn_plugin_target(plugin, trial->text, sizeof trial->text);
    }
    hn_plugin_unload(plugin);
    return table != NULL ? ASSAY_OK : ASSAY_EINVALID;
}

static void run_child(struct trial *trial, const char *path, const char *factory)
{
    setpgid(0, 0);
    forks_of = trial;
    pthread_atfork(count_fork, NULL, NULL);
    trial->status = load_and_unload(trial, path, factory);
    trial->finished = 1;
    _exit(0);
}

/* 1 if the child ended in time. */
static int wait_for(pid_t child, int64_t deadline_ms, int *how)
{
    const int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd ended = {.fd = descriptor, .events = POLLIN};
    const int in_time = descriptor >= 0 && poll(&ended, 1, (int)deadline_ms) == 1;

    kill(-child, SIGKILL); /* the plugin's own children, and the child itself when it hangs */
    kill(child, SIGKILL);
    waitpid(child, how, 0);
    if (descriptor >= 0) {
        close(descriptor);
    }
    return in_time;
}

static int tell(const struct trial *trial, int in_time, int how, int64_t deadline_ms, char *text,
                size_t size)
{
    if (!in_time) {
        snprintf(text, size, "%s did not return within %lld ms", trial->stage,
                 (long long)deadline_ms);
        return ASSAY_ETIMEOUT;
    }
    if (WIFSIGNALED(how)) {
        snprintf(text, size, "%s died of signal %d (%s)%s", trial->stage, WTERMSIG(how),
                 strsignal(WTERMSIG(how)),
                 WTERMSIG(how) == SIGABRT ? ", as an abort or an uncaught exception does" : "");
        return ASSAY_EINVALID;
    }
    if (!trial->finished) {
        snprintf(text, size, "%s ended the process with exit status %d; a plugin must return",
                 trial->stage, WEXITSTATUS(how));
        return ASSAY_EINVALID;
    }
    if (trial->status == ASSAY_OK && trial->forked_in[0] != '\0') {
        snprintf(text, size, "%s forked a process; a plugin must not", trial->forked_in);
        return ASSAY_EINVALID;
    }
    snprintf(text, size, "%s", trial->status == ASSAY_OK ? "" : trial->text);
    return trial->status;
}

int hn_plugin_try(const char *path, const char *factory, int64_t deadline_ms, char *text,
                  size_t size)
{
    struct trial *const trial =
        mmap(NULL, sizeof *trial, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (trial == MAP_FAILED) {
        snprintf(text, size, "cannot map a page: out of memory");
        return ASSAY_ENOMEM;
    }
    int status = ASSAY_EINTERNAL;
    const pid_t child = fork();
    if (child == 0) {
        run_child(trial, path, factory);
    }
    if (child > 0) {
        int how = 0;
        const int in_time = wait_for(child, deadline_ms, &how);
        status = tell(trial, in_time, how, deadline_ms, text, size);
    } else {
        snprintf(text, size, "cannot fork for the trial");
    }
    munmap(trial, sizeof *trial);
    return status;
}
