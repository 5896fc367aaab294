/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_paths.h. This file uses only the file system.
 */
#include "run_paths.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data.h"
#include "file.h"
#include "nearest.h"

int hn_run_libraries(char *path, const char *name, struct hn_error *error)
{
    char folder[HN_PATH_SIZE];
    int status = hn_data_installed(folder, "lib/assay", error);
    /* this is a build folder, not an installation */
    if (status == HN_OK && !hn_path_exists(folder))
        status = hn_data_installed(folder, "lib", error);
    return status == HN_OK ? hn_path_join(path, HN_PATH_SIZE, folder, name, error) : status;
}

static int is_profile(const struct dirent *entry)
{
    const char *const end = strrchr(entry->d_name, '.');
    return end && strcmp(end, ".yaml") == 0;
}

/* Reports an unknown target, with a list of the existing targets. */
static int refuse_target(const char *target, const char *path, struct hn_error *error)
{
    char folder[HN_PATH_SIZE], known[400] = "";
    struct hn_nearest search;
    struct dirent **entries = NULL;
    hn_nearest_begin(&search, target);
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    const int count = scandir(folder, &entries, is_profile, alphasort);
    for (int i = 0, used = 0; i < count; i++) {
        const int length = (int)strlen(entries[i]->d_name) - (int)strlen(".yaml");
        entries[i]->d_name[length] = '\0';
        hn_nearest_offer(&search, entries[i]->d_name);
        if (used >= 0 && used < (int)sizeof known)
            used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", used ? ", " : "",
                             entries[i]->d_name);
    }
    const int status =
        hn_error_set(error, HN_ENOTFOUND,
                     "there is no target \"%.100s\"%s%s%s. For a profile of your own give "
                     "its path, such as ./%.100s.yaml",
                     target, hn_nearest_hint(&search), search.best ? " There are " : "; there are ",
                     *known ? known : "none", target);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return status;
}

int hn_run_profile_path(char *path, const char *target, struct hn_error *error)
{
    char folder[HN_PATH_SIZE], name[HN_PATH_SIZE];
    if (strchr(target, '/') || strstr(target, ".yaml"))
        return hn_path_join(path, HN_PATH_SIZE, "", target, error);
    int status = hn_data_folder(folder, error);
    if (status == HN_OK && snprintf(name, sizeof name, "ci/targets/%s.yaml", target) < 0)
        status = HN_ELIMIT;
    if (status == HN_OK)
        status = hn_path_join(path, HN_PATH_SIZE, folder, name, error);
    if (status == HN_OK && !hn_path_exists(path))
        status = refuse_target(target, path, error);
    return status;
}

int hn_run_python(char *path, const char *folder, const char *wanted, struct hn_error *error)
{
    char beside[HN_PATH_SIZE];
    const char *chosen = getenv("ASSAY_PYTHON");
    if (*wanted && strchr(wanted, '/'))
        return hn_path_join(path, HN_PATH_SIZE, folder, wanted, error);
    if (*wanted || (chosen && *chosen))
        return hn_path_join(path, HN_PATH_SIZE, "", *wanted ? wanted : chosen, error);
    if (hn_data_installed(beside, "bin/python", error) == HN_OK && hn_path_exists(beside))
        return hn_path_join(path, HN_PATH_SIZE, "", beside, error);
    return hn_path_join(
        path, HN_PATH_SIZE, "",
        *ASSAY_BUILD_PYTHON && hn_path_exists(ASSAY_BUILD_PYTHON) ? ASSAY_BUILD_PYTHON : "python3",
        error);
}

void hn_run_point_at_last(const char *folder)
{
    char link[HN_PATH_SIZE], fresh[HN_PATH_SIZE + 32];
    struct stat facts;
    const char *const name = strrchr(folder, '/') + 1;
    snprintf(link, sizeof link, "%.*slast", (int)(name - folder), folder);
    snprintf(fresh, sizeof fresh, "%s.%ld.new", link, (long)getpid());
    if (lstat(link, &facts) == 0 && !S_ISLNK(facts.st_mode))
        return;
    if (symlink(name, fresh) || rename(fresh, link))
        unlink(fresh);
}
