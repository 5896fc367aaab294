/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads a target profile. Called by run, probe and repro. This file uses YAML and must not depend
 * on torch.
 */
#include "profile.h"
#include "isolation.h"

#include <string.h>

#include "arena.h"
#include "file.h"
#include "nearest.h"
#include "yaml_tree.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MEMORY ((size_t)16 << 20)

const char *const hn_step_names[HN_STEPS] = {"dlopen", "import", "call", "entry_point", "exec"};

struct owner {
    /* must be the first member, because the pointer to it is cast back */
    struct hn_profile profile;
    struct hn_arena *arena;
    struct hn_yaml_document *document;
};

struct reader {
    struct hn_arena *arena;
    struct hn_findings *findings;
    struct hn_profile *profile;
};

static void *need_array(struct reader *reader, size_t count, size_t size)
{
    void *items = hn_arena_array(reader->arena, count + 1, size);
    if (!items)
        hn_findings_add(reader->findings, reader->profile->path, 0, 0, "out of memory");
    return items;
}

static void read_env(struct reader *reader, const struct hn_yaml *map)
{
    if (!map || hn_yaml_is_map(map, reader->findings))
        return;
    struct hn_setting *env = need_array(reader, map->count, sizeof *env);
    size_t count = 0;
    if (!env)
        return;
    for (const struct hn_yaml *node = map->first; node; node = node->next)
        if (strchr(node->key, '='))
            hn_yaml_complain(node, reader->findings, "a variable's name cannot contain \"=\"");
        else if (node->kind != HN_YAML_SCALAR)
            hn_yaml_complain(node, reader->findings, "\"%.60s\" must be text", node->key);
        else if (strcmp(node->key, "PYTHONOPTIMIZE") == 0 ||
                 strcmp(node->key, "PYTHONINSPECT") == 0)
            hn_yaml_complain(node, reader->findings,
                             "%s must not be set: the names of checks are in docstrings, and the "
                             "interpreter of a check must end by itself",
                             node->key);
        else
            env[count++] = (struct hn_setting){node->key, node->text};
    reader->profile->env = env;
    reader->profile->env_count = count;
}

static void read_build_step(struct reader *reader, const struct hn_yaml *node,
                            struct hn_profile_build *step)
{
    static const char *const keys[] = {"run"};
    const struct hn_yaml *run = NULL;
    if (hn_yaml_only_keys(node, keys, 1, reader->findings) ||
        hn_yaml_need(node, "run", &run, reader->findings) || hn_yaml_is_list(run, reader->findings))
        return;
    if (run->count == 0) {
        hn_yaml_complain(run, reader->findings, "\"run\" must name a program");
        return;
    }
    const char **words = need_array(reader, run->count, sizeof *words);
    if (!words)
        return;
    size_t count = 0;
    for (const struct hn_yaml *word = run->first; word; word = word->next)
        if (hn_yaml_as_text(word, &words[count], reader->findings) == HN_OK)
            count++;
    *step = (struct hn_profile_build){words, count, node->line};
}

static void read_build(struct reader *reader, const struct hn_yaml *list)
{
    if (!list || hn_yaml_is_list(list, reader->findings))
        return;
    struct hn_profile_build *steps = need_array(reader, list->count, sizeof *steps);
    if (!steps)
        return;
    for (const struct hn_yaml *node = list->first; node; node = node->next)
        read_build_step(reader, node, &steps[reader->profile->build_count++]);
    reader->profile->build = steps;
}

static void read_flags(struct reader *reader, const struct hn_yaml *flags,
                       struct hn_profile_step *step)
{
    static const char *const names[] = {"local", "global", "lazy", "now"};
    size_t which;
    if (!flags || hn_yaml_is_list(flags, reader->findings))
        return;
    for (const struct hn_yaml *flag = flags->first; flag; flag = flag->next) {
        if (hn_yaml_as_choice(flag, names, COUNT(names), &which, reader->findings))
            continue;
        step->global = which == 1 || (step->global && which != 0);
        step->now = which == 3 || (step->now && which != 2);
    }
}

static void read_entry_point(struct reader *reader, const struct hn_yaml *map,
                             struct hn_profile_step *step)
{
    static const char *const keys[] = {"group", "name"};
    step->group = "torch.backends";
    if (hn_yaml_only_keys(map, keys, COUNT(keys), reader->findings))
        return;
    hn_yaml_text(map, "group", &step->group, reader->findings);
    hn_yaml_need_text(map, "name", &step->what, reader->findings);
}

static void check_call(struct reader *reader, const struct hn_yaml *value,
                       const struct hn_profile_step *step)
{
    const char *colon = strchr(step->what, ':');
    if (step->kind == HN_STEP_CALL && step->what[0] && (!colon || colon == step->what || !colon[1]))
        hn_yaml_complain(value, reader->findings, "\"%.60s\" must look like module:function",
                         step->what);
}

/* Finds the member of the map whose key is a kind of step; there must be exactly one. */
static const struct hn_yaml *find_kind(struct reader *reader, const struct hn_yaml *map,
                                       struct hn_profile_step *step)
{
    const struct hn_yaml *found = NULL;
    for (int kind = 0; kind < HN_STEPS; kind++) {
        const struct hn_yaml *value = hn_yaml_find(map, hn_step_names[kind]);
        if (value && found)
            hn_yaml_complain(value, reader->findings,
                             "\"%s\" and \"%s\" are two steps: begin each with a hyphen",
                             found->key, value->key);
        else if (value) {
            found = value;
            step->kind = (enum hn_step_kind)kind;
        }
    }
    if (!found)
        hn_yaml_complain(map, reader->findings,
                         "a load step is one of: dlopen, import, call, entry_point, exec");
    return found;
}

static void read_load_step(struct reader *reader, const struct hn_yaml *map,
                           struct hn_profile_step *step)
{
    static const char *const keys[] = {"dlopen", "import", "call", "entry_point", "exec", "flags"};
    *step = (struct hn_profile_step){.what = "", .group = "", .line = map->line};
    if (hn_yaml_only_keys(map, keys, COUNT(keys), reader->findings))
        return;
    const struct hn_yaml *value = find_kind(reader, map, step);
    if (!value)
        return;
    if (step->kind == HN_STEP_ENTRY_POINT)
        read_entry_point(reader, value, step);
    else
        hn_yaml_as_text(value, &step->what, reader->findings);
    check_call(reader, value, step);
    const struct hn_yaml *flags = hn_yaml_find(map, "flags");
    if (flags && step->kind != HN_STEP_DLOPEN)
        hn_yaml_complain(flags, reader->findings, "only dlopen has flags");
    else
        read_flags(reader, flags, step);
}

static void read_load(struct reader *reader, const struct hn_yaml *root)
{
    const struct hn_yaml *list = NULL;
    if (hn_yaml_need(root, "load", &list, reader->findings) ||
        hn_yaml_is_list(list, reader->findings))
        return;
    struct hn_profile_step *steps = need_array(reader, list->count, sizeof *steps);
    if (!steps)
        return;
    if (list->count == 0)
        hn_yaml_complain(list, reader->findings, "\"load\" needs at least one step");
    for (const struct hn_yaml *node = list->first; node; node = node->next)
        read_load_step(reader, node, &steps[reader->profile->load_count++]);
    reader->profile->load = steps;
}

static void read_devices(struct reader *reader, const struct hn_yaml *list)
{
    if (!list || hn_yaml_is_list(list, reader->findings))
        return;
    int32_t *devices = need_array(reader, list->count, sizeof *devices);
    size_t count = 0;
    if (!devices)
        return;
    for (const struct hn_yaml *node = list->first; node; node = node->next) {
        int64_t index;
        if (hn_yaml_as_integer(node, 0, 127, &index, reader->findings))
            continue;
        for (size_t i = 0; i < count; i++)
            if (devices[i] == index)
                hn_yaml_complain(node, reader->findings, "device %d is listed twice", (int)index);
        devices[count++] = (int32_t)index;
    }
    reader->profile->devices = devices;
    reader->profile->device_count = count;
}

static void read_capabilities(struct reader *reader, const struct hn_yaml *map)
{
    if (!map || hn_yaml_is_map(map, reader->findings))
        return;
    struct hn_profile_claim *claims = need_array(reader, map->count, sizeof *claims);
    size_t count = 0;
    if (!claims)
        return;
    for (const struct hn_yaml *node = map->first; node; node = node->next) {
        int yes;
        if (node->kind == HN_YAML_SCALAR && strcmp(node->text, "unknown") == 0)
            continue;
        if (hn_yaml_as_boolean(node, &yes, reader->findings) == HN_OK)
            claims[count++] = (struct hn_profile_claim){node->key, yes ? HN_CLAIM_YES : HN_CLAIM_NO,
                                                        node->key_line, node->key_column};
    }
    reader->profile->capabilities = claims;
    reader->profile->capability_count = count;
}

static void read_timeouts(struct reader *reader, const struct hn_yaml *map)
{
    struct hn_profile *profile = reader->profile;
    const struct {
        const char *key;
        int *seconds;
    } table[] = {{"build", &profile->timeouts.build},
                 {"load", &profile->timeouts.load},
                 {"warm_up", &profile->timeouts.warm_up},
                 {"check", &profile->timeouts.check},
                 {"run", &profile->timeouts.run}};
    const char *keys[COUNT(table)];
    for (size_t i = 0; i < COUNT(table); i++)
        keys[i] = table[i].key;
    if (!map || hn_yaml_only_keys(map, keys, COUNT(keys), reader->findings))
        return;
    for (size_t i = 0; i < COUNT(table); i++) {
        int64_t seconds = 0;
        hn_yaml_integer(map, table[i].key, 1, 7 * 24 * 3600, &seconds, reader->findings);
        *table[i].seconds = (int)seconds;
    }
}

/* The name must be a valid folder name, because it is part of the name of a run's folder. */
static int is_plain_name(const char *name)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    const size_t length = strlen(name);
    return length <= 100 && strspn(name, plain) == length && !strchr(".+-", *name);
}

static void read_jobs(struct reader *reader, const struct hn_yaml *root)
{
    const struct hn_yaml *node = hn_yaml_find(root, "jobs");
    const char *text = node && node->kind == HN_YAML_SCALAR ? node->text : "1";
    int64_t jobs = 0;
    reader->profile->job_per_device = strcmp(text, "1 per device") == 0;
    if (!reader->profile->job_per_device && strspn(text, "-0123456789") != strlen(text))
        hn_yaml_complain(node, reader->findings,
                         "\"%.60s\" is neither a whole number nor \"1 per device\"", text);
    else if (!reader->profile->job_per_device)
        hn_yaml_integer(root, "jobs", 1, 256, &jobs, reader->findings);
    reader->profile->jobs = (int)jobs;
}

static void read_members(struct reader *reader, const struct hn_yaml *root)
{
    static const char *const keys[] = {"name", "text",    "python",       "env",      "build",
                                       "load", "devices", "capabilities", "timeouts", "isolation",
                                       "jobs", "adapter", "marks"};
    const char *modes[HN_ISOLATIONS];
    struct hn_profile *profile = reader->profile;
    struct hn_findings *findings = reader->findings;
    size_t mode = COUNT(modes);
    hn_yaml_only_keys(root, keys, COUNT(keys), findings);
    if (root->kind != HN_YAML_MAP)
        return;
    for (int i = 0; i < HN_ISOLATIONS; i++)
        modes[i] = hn_isolations[i].name;
    if (hn_yaml_need_text(root, "name", &profile->name, findings) == HN_OK &&
        !is_plain_name(profile->name))
        hn_yaml_complain(hn_yaml_find(root, "name"), findings,
                         "\"%.60s\" becomes part of a folder's name: use at most 100 letters, "
                         "digits, _ . + -, and do not begin with . + or -",
                         profile->name);
    hn_yaml_text(root, "text", &profile->text, findings);
    hn_yaml_text(root, "python", &profile->python, findings);
    hn_yaml_text(root, "adapter", &profile->adapter, findings);
    hn_yaml_text(root, "marks", &profile->marks, findings);
    hn_yaml_choice(root, "isolation", modes, COUNT(modes), &mode, findings);
    if (mode < COUNT(modes))
        profile->isolation = modes[mode];
    read_jobs(reader, root);
    read_env(reader, hn_yaml_find(root, "env"));
    read_build(reader, hn_yaml_find(root, "build"));
    read_load(reader, root);
    read_devices(reader, hn_yaml_find(root, "devices"));
    read_capabilities(reader, hn_yaml_find(root, "capabilities"));
    read_timeouts(reader, hn_yaml_find(root, "timeouts"));
}

static const char *folder_of(struct hn_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return ".";
    return slash == path ? "/" : hn_arena_copy(arena, path, (size_t)(slash - path));
}

int hn_profile_read(const char *path, struct hn_profile **profile, struct hn_findings *findings)
{
    const size_t before = findings->total;
    struct hn_arena *arena;
    struct owner *owner = hn_arena_owner(sizeof *owner, MEMORY, &arena);
    const struct hn_yaml *root = NULL;
    *profile = NULL;
    if (!owner)
        return hn_findings_add(findings, path, 0, 0, "out of memory");
    owner->arena = arena;
    owner->profile = (struct hn_profile){
        .name = "", .text = "", .python = "", .isolation = "", .adapter = "", .marks = ""};
    owner->profile.path = hn_arena_copy(owner->arena, path, strlen(path));
    owner->profile.folder = folder_of(owner->arena, path);
    struct reader reader = {owner->arena, findings, &owner->profile};
    if (!owner->profile.path || !owner->profile.folder)
        hn_findings_add(findings, path, 0, 0, "out of memory");
    else if (hn_yaml_read(path, &owner->document, &root, findings) == HN_OK)
        read_members(&reader, root);
    if (findings->total > before) {
        hn_findings_sort(findings);
        hn_profile_destroy(&owner->profile);
        return HN_EINPUT;
    }
    *profile = &owner->profile;
    return HN_OK;
}

void hn_profile_destroy(struct hn_profile *profile)
{
    struct owner *owner = (struct owner *)profile;
    if (!owner)
        return;
    hn_yaml_destroy(owner->document);
    hn_arena_destroy(owner->arena);
}
