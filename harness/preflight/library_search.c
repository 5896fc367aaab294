/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See library_search.h.
 */
#include "library_search.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const usual[] = {
    "/lib",
    "/usr/lib",
    "/lib64",
    "/usr/lib64",
    "/usr/local/lib",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
};

void hn_search_add(struct hn_search *search, const char *folder)
{
    if (search->count < HN_SEARCH_FOLDERS && folder[0] != '\0') {
        char *const copy = strdup(folder);
        if (copy)
            search->folders[search->count++] = copy;
    }
}

/* Expands $ORIGIN and ${ORIGIN} at the beginning only, which is where they are used in practice. */
static void add_expanded(struct hn_search *search, const char *folder, const char *origin)
{
    static const char *const forms[] = {"$ORIGIN", "${ORIGIN}"};
    char path[HN_SEARCH_PATH];
    const char *const slash = origin ? strrchr(origin, '/') : NULL;
    const int length = slash ? (int)(slash - origin) : 1;
    for (size_t i = 0; i < 2; i++) {
        if (strncmp(folder, forms[i], strlen(forms[i])) == 0) {
            snprintf(path, sizeof path, "%.*s%s", length, slash ? origin : ".",
                     folder + strlen(forms[i]));
            hn_search_add(search, path);
            return;
        }
    }
    hn_search_add(search, folder);
}

void hn_search_add_list(struct hn_search *search, const char *list, const char *origin)
{
    char *const copy = strdup(list);
    char *rest = copy, *folder;
    while (copy && (folder = strsep(&rest, ":")) != NULL)
        add_expanded(search, folder, origin);
    free(copy);
}

static void add_configured(struct hn_search *search, const char *file)
{
    char line[HN_SEARCH_PATH];
    FILE *const stream = fopen(file, "re");
    while (stream && fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\r\n#")] = '\0';
        if (line[0] == '/')
            hn_search_add(search, line);
    }
    if (stream)
        fclose(stream);
}

void hn_search_init(struct hn_search *search)
{
    glob_t files;
    const char *const asked = getenv("LD_LIBRARY_PATH");
    *search = (struct hn_search){0};
    if (asked)
        hn_search_add_list(search, asked, NULL);
    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        hn_search_add(search, usual[i]);
    if (glob("/etc/ld.so.conf.d/*.conf", 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            add_configured(search, files.gl_pathv[i]);
        globfree(&files);
    }
}

void hn_search_finish(struct hn_search *search)
{
    for (size_t i = 0; i < search->count; i++)
        free(search->folders[i]);
    search->count = 0;
}

int hn_search_resolve(const struct hn_search *search, const char *name, char *path, size_t size)
{
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return access(path, R_OK) == 0;
    }
    for (size_t i = 0; i < search->count; i++) {
        snprintf(path, size, "%s/%s", search->folders[i], name);
        if (access(path, R_OK) == 0)
            return 1;
    }
    return 0;
}

int hn_search_finds(const struct hn_search *search, const char *name)
{
    char path[HN_SEARCH_PATH];
    return hn_search_resolve(search, name, path, sizeof path);
}
