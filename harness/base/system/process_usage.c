/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See process_usage.h. Finds children in /proc by the id of their parent.
 */
#include "process_usage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
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

static int64_t own_processor_ms(pid_t process)
{
    char path[64], text[1024];
    long long ticks[4] = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *const name_end = strrchr(text, ')'); /* the name may contain spaces */
    if (name_end)
        sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lld %lld %lld %lld", ticks,
               ticks + 1, ticks + 2, ticks + 3);
    return (ticks[0] + ticks[1] + ticks[2] + ticks[3]) * 1000 / sysconf(_SC_CLK_TCK);
}

static int64_t thread_waited_ms(const char *tasks, const char *thread)
{
    char path[128];
    long long waited_ns = 0;
    snprintf(path, sizeof path, "%s/%.20s/schedstat", tasks, thread);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*d %lld", &waited_ns) != 1)
        waited_ns = 0;
    fclose(file);
    return waited_ns / 1000000;
}

static int64_t own_waited_ms(pid_t process)
{
    char path[64];
    int64_t longest = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
        const int64_t waited = thread_waited_ms(path, entry->d_name);
        longest = waited > longest ? waited : longest;
    }
    if (tasks)
        closedir(tasks);
    return longest;
}

static int64_t sum(int64_t (*own)(pid_t), pid_t process, int depth)
{
    char path[64];
    int child;
    int64_t total = own(process);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *file = depth < DEEPEST ? fopen(path, "re") : NULL;
    while (file && fscanf(file, "%d", &child) == 1)
        total += sum(own, child, depth + 1);
    if (file)
        fclose(file);
    return total;
}

int64_t hn_resident_bytes(pid_t process)
{
    return sum(own_bytes, process, 0);
}

int64_t hn_processor_ms(pid_t process)
{
    return sum(own_processor_ms, process, 0);
}

int64_t hn_waited_ms(pid_t process)
{
    return sum(own_waited_ms, process, 0);
}

int64_t hn_resident_limit(void)
{
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4 * 3;
}
