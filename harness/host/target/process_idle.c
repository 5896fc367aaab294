/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See process_idle.h. Reads State and voluntary_ctxt_switches of /proc/self/task/<id>/status.
 */
#include "process_idle.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the state letter of a thread, or '?' if it is gone; *sleeps: how often it went to
 * sleep. */
static char state_of(const char *thread, uint64_t *sleeps)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return '?';
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *const state = strstr(text, "\nState:\t");
    const char *const switches = strstr(text, "\nvoluntary_ctxt_switches:\t");
    if (!state || !switches)
        return '?';
    *sleeps = strtoull(strchr(switches, '\t'), NULL, 10);
    return state[sizeof "\nState:\t" - 1];
}

uint64_t hn_process_idle_wakes(void)
{
    const long mine = syscall(SYS_gettid);
    uint64_t wakes = 1;
    DIR *const threads = opendir("/proc/self/task");
    const struct dirent *entry;
    while (threads && wakes != 0 && (entry = readdir(threads)) != NULL) {
        uint64_t sleeps = 0;
        if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == mine)
            continue;
        wakes = state_of(entry->d_name, &sleeps) == 'S' ? wakes + sleeps : 0;
    }
    if (threads)
        closedir(threads);
    return threads ? wakes : 0;
}
