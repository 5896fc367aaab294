/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See run_paths.h. The interpreter is asked in a process of its own; this program never loads it.
 */
#include "run_paths.h"

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data.h"
#include "file.h"

extern char **environ;

int hn_run_installed(char *path, const char *name, struct hn_error *error)
{
    char self[HN_PATH_SIZE];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        return hn_error_errno(error, "cannot tell where this program is");
    self[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    return hn_path_join(path, HN_PATH_SIZE, self, name, error);
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
        status = hn_error_set(error, HN_ENOTFOUND,
                              "there is no target \"%s\" (%s); a profile of your own is given with "
                              "its path",
                              target, path);
    return status;
}

int hn_run_python(char *path, const char *folder, const char *wanted, struct hn_error *error)
{
    const char *chosen = getenv("ASSAY_PYTHON");
    if (*wanted && strchr(wanted, '/'))
        return hn_path_join(path, HN_PATH_SIZE, folder, wanted, error);
    if (*wanted)
        return hn_path_join(path, HN_PATH_SIZE, "", wanted, error);
    return hn_path_join(path, HN_PATH_SIZE, "", chosen && *chosen ? chosen : ASSAY_BUILD_PYTHON,
                        error);
}

static const char question[] =
    "import importlib.util as u, runpy\n"
    "spec = u.find_spec('torch')\n"
    "if spec:\n"
    "    folder = spec.submodule_search_locations[0]\n"
    "    facts = runpy.run_path(folder + '/version.py')\n"
    "    print(facts['__version__'], facts.get('git_version') or '-', folder, sep='\\n')\n";

/* The interpreter's answer in `text`; its exit status, or -1. */
static int ask(const char *python, char *text, size_t size)
{
    int ends[2], status = -1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    char *arguments[] = {(char *)(uintptr_t)python, "-c", (char *)(uintptr_t)question, NULL};
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const int failed = posix_spawnp(&pid, python, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got = 1; !failed && got > 0 && length + 1 < size; length += (size_t)got)
        if ((got = read(ends[0], text + length, size - 1 - length)) <= 0)
            break;
    text[length] = '\0';
    close(ends[0]);
    if (failed || waitpid(pid, &status, 0) < 0)
        return -1;
    return status;
}

/* One line of the answer; the place behind it. */
static const char *take_line(const char *text, char *line, size_t size)
{
    const size_t length = strcspn(text, "\n");
    snprintf(line, size, "%.*s", (int)length, text);
    return text + length + (text[length] == '\n');
}

int hn_run_torch(const char *python, struct hn_torch_version *torch, struct hn_error *error)
{
    char text[2048];
    *torch = (struct hn_torch_version){0};
    if (ask(python, text, sizeof text) != 0)
        return hn_error_set(error, HN_EINPUT, "%s does not run as a Python interpreter", python);
    const char *rest = take_line(text, torch->version, sizeof torch->version);
    rest = take_line(rest, torch->git, sizeof torch->git);
    take_line(rest, torch->path, sizeof torch->path);
    return HN_OK;
}
