/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Measures the lower bound for the cost of isolation: N times fork, _exit and wait in a process
 * that has loaded the given library. With a third argument, each child opens that library before it
 * exits. Prints elapsed and processor milliseconds per child. Called by isolation_bench.py.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct price {
    double clock_ms, cpu_ms;
};

static double ms_of(const struct timeval *time)
{
    return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

static struct price now(void)
{
    struct timespec clock;
    struct rusage own, children;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (struct price){(double)clock.tv_sec * 1e3 + (double)clock.tv_nsec / 1e6,
                          ms_of(&own.ru_utime) + ms_of(&own.ru_stime) + ms_of(&children.ru_utime) +
                              ms_of(&children.ru_stime)};
}

static _Noreturn void be_child(const char *library)
{
    _exit(library && !dlopen(library, RTLD_NOW | RTLD_LOCAL));
}

int main(int count, char **arguments)
{
    const long turns = count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    int ended = 0;
    if (count > 2 && *arguments[2] && !dlopen(arguments[2], RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const struct price start = now();
    for (long i = 0; i < turns; i++) {
        const pid_t pid = fork();
        if (pid == 0)
            be_child(count > 3 ? arguments[3] : NULL);
        if (pid < 0 || waitpid(pid, &ended, 0) < 0 || ended != 0)
            return 1;
    }
    const struct price end = now();
    printf("%.4f %.4f\n", (end.clock_ms - start.clock_ms) / (double)turns,
           (end.cpu_ms - start.cpu_ms) / (double)turns);
    return 0;
}
