/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See settings_file.h.
 */
#include "settings_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "yaml_tree.h"

#define NAME "assay.yaml"

/* Shortens "/a/b/c" to "/a/b"; returns 0 at the top. */
static int go_up(char *folder)
{
    char *const end = strrchr(folder, '/');
    if (!end || end == folder)
        return 0;
    *end = '\0';
    return 1;
}

static int has(const char *folder, const char *name, char *path)
{
    return snprintf(path, HN_PATH_SIZE, "%s/%s", folder, name) < HN_PATH_SIZE &&
           hn_path_exists(path);
}

static int is_in_repository(const char *folder)
{
    char above[PATH_MAX], path[HN_PATH_SIZE];
    snprintf(above, sizeof above, "%s", folder);
    do
        if (has(above, ".git", path))
            return 1;
    while (go_up(above));
    return 0;
}

/* Returns 1 and the path of assay.yaml, or 0. */
static int find(char *path)
{
    char folder[PATH_MAX];
    if (!realpath(".", folder))
        return 0;
    const int in_repository = is_in_repository(folder);
    for (;;) {
        char root[HN_PATH_SIZE], target[1];
        /* A broken link does not count as a missing file: reading the link reports the error. */
        if (has(folder, NAME, path) || readlink(path, target, sizeof target) > 0)
            return 1;
        if (!in_repository || has(folder, ".git", root) || !go_up(folder))
            return 0;
    }
}

/* Paths in assay.yaml are relative to the folder of the file, not to the current folder. */
static void place(const struct hn_usual *settings, const char *name, char *path)
{
    const int folder = (int)(strrchr(settings->file, '/') - settings->file);
    if (*name == '/')
        snprintf(path, HN_PATH_SIZE, "%s", name);
    else if (snprintf(path, HN_PATH_SIZE, "%.*s/%s", folder, settings->file, name) >= HN_PATH_SIZE)
        path[0] = '\0';
}

static int is_profile(const char *target)
{
    return strchr(target, '/') || strstr(target, ".yaml");
}

static void read_members(const struct hn_yaml *root, struct hn_usual *settings,
                         struct hn_findings *findings)
{
    static const char *const keys[] = {"target", "out", "jobs", "expectations"};
    const char *target = "", *out = "", *expectations = "";
    int64_t jobs = 0;
    hn_yaml_only_keys(root, keys, sizeof keys / sizeof *keys, findings);
    if (root->kind != HN_YAML_MAP)
        return;
    hn_yaml_text(root, "target", &target, findings);
    hn_yaml_text(root, "out", &out, findings);
    hn_yaml_text(root, "expectations", &expectations, findings);
    hn_yaml_integer(root, "jobs", 1, 256, &jobs, findings);
    if (is_profile(target))
        place(settings, target, settings->target);
    else
        snprintf(settings->target, sizeof settings->target, "%s", target);
    if (*out)
        place(settings, out, settings->runs);
    if (*expectations)
        place(settings, expectations, settings->expectations);
    if (jobs)
        snprintf(settings->jobs, sizeof settings->jobs, "%d", (int)jobs);
}

static void offer(struct hn_invocation *invocation, const char *name, const char *value)
{
    for (size_t i = 0; *value && i < invocation->command->option_count; i++)
        if (strcmp(invocation->command->options[i].name, name) == 0 && !invocation->values[i])
            invocation->values[i] = value;
}

int hn_settings_apply(struct hn_invocation *invocation)
{
    struct hn_usual *const settings = &invocation->usual;
    struct hn_findings findings = {0};
    struct hn_yaml_document *document = NULL;
    const struct hn_yaml *root;
    if (!find(settings->file)) {
        settings->file[0] = '\0';
        return HN_EXIT_OK;
    }
    if (hn_yaml_read(settings->file, &document, &root, &findings) == HN_OK)
        read_members(root, settings, &findings);
    hn_yaml_destroy(document);
    const int status = findings.total ? hn_print_findings(&findings) : HN_EXIT_OK;
    hn_findings_finish(&findings);
    offer(invocation, "target", settings->target);
    offer(invocation, "jobs", settings->jobs);
    offer(invocation, "expectations", settings->expectations);
    return status;
}
