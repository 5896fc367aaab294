/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See resident_size.h. Finds children in /proc by the id of their parent.
 */
#include "resident_size.h"

#include <stdio.h>
#include <unistd.h>

#define DEEPEST 16

static int64_t own_bytes(pid_t process)
{
    char path[64];
    long long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*s %lld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int64_t sum(pid_t process, int depth)
{
    char path[64];
    int child;
    int64_t bytes = own_bytes(process);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *file = depth < DEEPEST ? fopen(path, "re") : NULL;
    while (file && fscanf(file, "%d", &child) == 1)
        bytes += sum(child, depth + 1);
    if (file)
        fclose(file);
    return bytes;
}

int64_t hn_resident_bytes(pid_t process)
{
    return sum(process, 0);
}

int64_t hn_resident_limit(void)
{
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4 * 3;
}
