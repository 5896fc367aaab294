/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The smallest host program: the host library with the torture checks and an empty target. The
 * program shows which functions a host program needs. Tests of the supervisor use it, because it
 * needs no torch.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host_callbacks.h"
#include "torture_checks.h"

static int prepare(void *context, const struct hn_host_setup *setup)
{
    (void)context;
    (void)setup;
    return HN_HOST_DONE;
}

static pid_t fork_native(void *context)
{
    (void)context;
    /* Number of forks that fail at the beginning, as on a machine without a free process. */
    static long refused;
    const char *refusals = getenv("TORTURE_REFUSES_FORKS");
    if (refusals && refused < strtol(refusals, NULL, 10)) {
        refused++;
        errno = EAGAIN;
        return -1;
    }
    return fork();
}

/* Runs the load steps of a torture target: "fail" fails, "hang" hangs, and a path is opened. */
static int load_target(void *context, const struct hn_host_setup *setup,
                       struct hn_host_target *target)
{
    (void)context;
    for (size_t i = 0; i < setup->step_count; i++) {
        if (strcmp(setup->steps[i].argument, "fail") == 0) {
            hn_host_problem("the torture target does not load");
            return 0;
        }
        if (strcmp(setup->steps[i].argument, "hang") == 0)
            for (;;)
                pause();
        if (strcmp(setup->steps[i].argument, "crash") == 0)
            abort();
        if (setup->steps[i].argument[0] == '/' &&
            !dlopen(setup->steps[i].argument, RTLD_NOW | RTLD_LOCAL)) {
            hn_host_problem(dlerror());
            return 0;
        }
    }
    if (setup->step_count && strcmp(setup->steps[0].argument, "no-device") == 0)
        return HN_HOST_DONE;
    snprintf(target->device_name, sizeof target->device_name, "torture");
    target->devices[1] = 1;
    target->device_count = 2;
    return HN_HOST_DONE;
}

static int warm_up(void *context)
{
    (void)context;
    return HN_HOST_DONE;
}

static int run_check(void *context, const char *entry, struct assay_check *check)
{
    (void)context;
    (void)entry;
    if (torture_run(check))
        return HN_HOST_DONE;
    hn_host_problem("no such check");
    return 0;
}

int main(int count, char **arguments)
{
    static const char *program[2];
    const struct hn_host_callbacks callbacks = {
        .fork = fork_native,
        .prepare = prepare,
        .load_target = load_target,
        .warm_up = warm_up,
        .run_check = run_check,
    };
    if (count != 2) {
        fprintf(stderr, "usage: %s --control=FD (started by assay)\n", arguments[0]);
        return 64;
    }
    program[0] = arguments[0];
    hn_host_set_program(program);
    const char *value = strchr(arguments[1], '=');
    const int fd = value ? (int)strtol(value + 1, NULL, 10) : -1;
    if (strncmp(arguments[1], "--job=", 6) == 0)
        return hn_host_serve_one(fd, &callbacks);
    return hn_host_serve(fd, &callbacks);
}
