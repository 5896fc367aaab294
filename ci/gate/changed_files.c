/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See changed_files.h. Called by cmd_gate.c. The names are untrusted, so no file is opened here.
 */
#include "changed_files.h"

#include <stdio.h>
#include <string.h>

#define PATH_MAX_BYTES 4096
#define STEPS_MAX 100000

/* A star first matches nothing, then one character more at a time until the rest of the glob
 * matches. Only "**" matches a "/". `steps` limits the time for hostile names. */
static int fits(const char *glob, const char *path, int *steps)
{
    while (*glob && (*steps)-- > 0) {
        if (*glob == '*') {
            const int deep = glob[1] == '*';
            glob += deep ? 2 : 1;
            for (;; path++) {
                if (fits(glob, path, steps))
                    return 1;
                if (!*path || (!deep && *path == '/') || *steps <= 0)
                    return 0;
            }
        }
        if (*path == '\0' || (*glob == '?' ? *path == '/' : *glob != *path))
            return 0;
        glob++;
        path++;
    }
    return *glob == '\0' && *path == '\0';
}

int ci_glob_fits(const char *glob, const char *path)
{
    int steps = STEPS_MAX;
    return fits(glob, path, &steps);
}

static size_t line_length(const char *line)
{
    const size_t length = strcspn(line, "\n");
    return length && line[length - 1] == '\r' ? length - 1 : length;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

const char *ci_changed_file(const char *text, const char *const *globs, size_t count,
                            size_t *length)
{
    char path[PATH_MAX_BYTES];
    for (const char *line = text; *line; line = next_line(line)) {
        *length = line_length(line);
        if (*length == 0 || *length >= sizeof path)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)*length, line);
        for (size_t i = 0; i < count; i++)
            if (ci_glob_fits(globs[i], path))
                return line;
    }
    return NULL;
}

int ci_has_line(const char *text, const char *word)
{
    for (const char *line = text; *line; line = next_line(line))
        if (line_length(line) == strlen(word) && strncmp(line, word, strlen(word)) == 0)
            return 1;
    return 0;
}
