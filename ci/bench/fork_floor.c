/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The floor that isolation is measured against: fork, _exit, wait, N times, in a process that has
 * the given library loaded. Prints microseconds per turn. Called by isolation_bench.py.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

int main(int count, char **arguments)
{
    const long turns = count > 1 ? strtol(arguments[1], NULL, 10) : 1000;
    if (count > 2 && !dlopen(arguments[2], RTLD_NOW | RTLD_GLOBAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    const double start = now_us();
    for (long i = 0; i < turns; i++) {
        const pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) < 0)
            return 1;
    }
    printf("%.1f\n", (now_us() - start) / (double)turns);
    return 0;
}
