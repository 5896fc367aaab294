/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See environment.h.
 */
#include "environment.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static void set(char **list, size_t *count, const char *setting)
{
    const size_t name = strcspn(setting, "=") + 1;
    char *writable = (char *)(uintptr_t)setting;
    for (size_t i = 0; i < *count; i++)
        if (strncmp(list[i], setting, name) == 0) {
            list[i] = writable;
            return;
        }
    list[(*count)++] = writable;
}

/* Users set these variables for Python programs, but the variables would also affect our
 * interpreters. An interpreter without docstrings does not know the names of checks. An interpreter
 * with PYTHONINSPECT waits for input at its end. */
static int is_for_users(const char *setting)
{
    return strncmp(setting, "PYTHONOPTIMIZE=", 15) == 0 ||
           strncmp(setting, "PYTHONINSPECT=", 14) == 0;
}

static size_t copy_ours(char **list)
{
    size_t count = 0;
    for (char *const *setting = environ; *setting; setting++)
        if (!is_for_users(*setting))
            list[count++] = *setting;
    return count;
}

char **hn_environment_make(const struct hn_settings *lists, size_t count)
{
    size_t used = 0, more = 0;
    while (environ[used])
        used++;
    for (size_t i = 0; i < count; i++)
        more += lists[i].count;
    char **list = calloc(used + more + 1, sizeof *list);
    if (!list)
        return NULL;
    used = copy_ours(list);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            set(list, &used, lists[i].items[k]);
    return list;
}
