/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads conformance.yaml: version, levels, capabilities, profiles, modules, gate policy, labels.
 * First step of loading the catalogue. Probes and refusal checks are linked later, when the
 * checks are known.
 */
#include <string.h>

#include "catalogue_internal.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void *need_array(struct hn_loader *loader, size_t count, size_t size)
{
    void *items = hn_arena_array(loader->arena, count ? count : 1, size);
    if (!items)
        hn_findings_add(loader->findings, "", 0, 0, "out of memory");
    return items;
}

int hn_read_texts(struct hn_loader *loader, const struct hn_yaml *node, struct hn_texts *texts)
{
    const struct hn_yaml *item = node;
    int status = HN_OK;
    *texts = (struct hn_texts){0};
    if (!node)
        return HN_OK;
    if (node->kind == HN_YAML_MAP)
        return hn_yaml_is_list(node, loader->findings);
    const size_t count = node->kind == HN_YAML_LIST ? node->count : 1;
    const char **items = need_array(loader, count, sizeof *items);
    if (!items)
        return HN_ENOMEM;
    if (node->kind == HN_YAML_LIST)
        item = node->first;
    size_t used = 0;
    for (size_t i = 0; i < count; i++, item = item->next) {
        const char *text = NULL;
        if (hn_yaml_as_text(item, &text, loader->findings)) {
            status = HN_EINPUT;
            continue;
        }
        items[used++] = text;
    }
    *texts = (struct hn_texts){items, used};
    return status;
}

/* Returns a member that must be a map; if it is not, adds a finding and returns NULL. */
static const struct hn_yaml *need_map(struct hn_loader *loader, const struct hn_yaml *root,
                                      const char *key)
{
    const struct hn_yaml *map = NULL;
    if (hn_yaml_need(root, key, &map, loader->findings) || hn_yaml_is_map(map, loader->findings))
        return NULL;
    return map;
}

static void read_levels(struct hn_loader *loader, const struct hn_yaml *root)
{
    const struct hn_yaml *levels = need_map(loader, root, "levels");
    const char *meaning;
    if (!levels)
        return;
    hn_yaml_only_keys(levels, hn_level_names, HN_LEVELS, loader->findings);
    for (int i = 0; i < HN_LEVELS; i++)
        hn_yaml_need_text(levels, hn_level_names[i], &meaning, loader->findings);
}

static void read_capabilities(struct hn_loader *loader, const struct hn_yaml *root)
{
    static const char *const keys[] = {"text", "probe", "refusal", "means"};
    const struct hn_yaml *map = need_map(loader, root, "capabilities");
    struct hn_contract_capability *items =
        map ? need_array(loader, map->count, sizeof *items) : NULL;
    size_t count = 0;
    if (!items)
        return;
    for (const struct hn_yaml *node = map->first; node; node = node->next) {
        struct hn_contract_capability *capability = &items[count++];
        *capability =
            (struct hn_contract_capability){.name = node->key, .text = "", .source = node};
        if (hn_yaml_only_keys(node, keys, COUNT(keys), loader->findings) == HN_OK ||
            node->kind == HN_YAML_MAP) {
            hn_yaml_need_text(node, "text", &capability->text, loader->findings);
            hn_read_texts(loader, hn_yaml_find(node, "means"), &capability->means);
        }
    }
    loader->capabilities = items;
    loader->catalogue->capabilities = items;
    loader->catalogue->capability_count = count;
}

/* Reads one of the maps of named selections into `items`; returns the new number of items. */
static size_t read_selections(struct hn_loader *loader, const struct hn_yaml *map, int are_stages,
                              struct hn_selection *items, size_t count)
{
    static const char *const keys[] = {"text", "select", "capabilities"};
    for (const struct hn_yaml *node = map->first; node; node = node->next) {
        struct hn_selection *selection = &items[count++];
        *selection = (struct hn_selection){
            .name = node->key, .text = "", .select = "", .is_stage = are_stages};
        hn_yaml_only_keys(node, keys, are_stages ? COUNT(keys) : COUNT(keys) - 1, loader->findings);
        if (node->kind != HN_YAML_MAP)
            continue;
        hn_yaml_need_text(node, "text", &selection->text, loader->findings);
        hn_yaml_need_text(node, "select", &selection->select, loader->findings);
        hn_read_texts(loader, hn_yaml_find(node, "capabilities"), &selection->capabilities);
    }
    return count;
}

static void read_profiles_and_stages(struct hn_loader *loader, const struct hn_yaml *root)
{
    const struct hn_yaml *profiles = need_map(loader, root, "profiles");
    const struct hn_yaml *stages = hn_yaml_find(root, "stages");
    if (stages && stages->kind != HN_YAML_MAP)
        stages = need_map(loader, root, "stages");
    const size_t most = (profiles ? profiles->count : 0) + (stages ? stages->count : 0);
    struct hn_selection *items = profiles ? need_array(loader, most, sizeof *items) : NULL;
    if (!items)
        return;
    size_t count = read_selections(loader, profiles, 0, items, 0);
    if (stages)
        count = read_selections(loader, stages, 1, items, count);
    loader->catalogue->selections = items;
    loader->catalogue->selection_count = count;
}

static void check_prefix(struct hn_loader *loader, const struct hn_yaml *node, size_t index)
{
    const char *prefix = loader->modules[index].prefix;
    for (size_t i = 0; i < index; i++)
        if (prefix[0] && strcmp(loader->modules[i].prefix, prefix) == 0)
            hn_yaml_complain(hn_yaml_find(node, "prefix"), loader->findings,
                             "prefix %.20s belongs to module %.40s", prefix,
                             loader->modules[i].name);
}

static void read_modules(struct hn_loader *loader, const struct hn_yaml *root)
{
    static const char *const keys[] = {"prefix", "title", "anchors"};
    const struct hn_yaml *map = need_map(loader, root, "modules");
    size_t count = 0;
    if (map && map->count >= HN_MODULES_MAX) {
        hn_yaml_complain(map, loader->findings, "more than %d modules", HN_MODULES_MAX - 1);
        return;
    }
    /* The additional element is for a private suite. */
    loader->modules = map ? need_array(loader, map->count + 1, sizeof *loader->modules) : NULL;
    if (!loader->modules)
        return;
    for (const struct hn_yaml *node = map->first; node; node = node->next) {
        struct hn_module *module = &loader->modules[count];
        *module = (struct hn_module){.name = node->key, .prefix = "", .title = ""};
        module->place = hn_arena_text(loader->arena, "suites/%s", node->key);
        hn_yaml_only_keys(node, keys, COUNT(keys), loader->findings);
        if (node->kind == HN_YAML_MAP) {
            hn_yaml_need_text(node, "prefix", &module->prefix, loader->findings);
            hn_yaml_need_text(node, "title", &module->title, loader->findings);
            hn_read_texts(loader, hn_yaml_find(node, "anchors"), &module->anchors);
            check_prefix(loader, node, count);
        }
        count++;
    }
    loader->catalogue->modules = loader->modules;
    loader->catalogue->module_count = count;
}

static void read_policy(struct hn_loader *loader, const struct hn_yaml *root)
{
    static const char *const gate_keys[] = {"fail_on", "reference_files"};
    static const char *const label_keys[] = {"adaptation", "override", "hint"};
    struct hn_policy *policy = &loader->catalogue->policy;
    const struct hn_yaml *gate = need_map(loader, root, "gate");
    const struct hn_yaml *labels = need_map(loader, root, "labels");
    size_t level = HN_MUST;
    *policy = (struct hn_policy){.label_adaptation = "", .label_override = "", .label_hint = ""};
    if (gate) {
        hn_yaml_only_keys(gate, gate_keys, COUNT(gate_keys), loader->findings);
        hn_yaml_choice(gate, "fail_on", hn_level_names, HN_MAY, &level, loader->findings);
        policy->fail_on = (enum hn_level)level;
        hn_read_texts(loader, hn_yaml_find(gate, "reference_files"), &policy->reference_files);
    }
    if (labels) {
        hn_yaml_only_keys(labels, label_keys, COUNT(label_keys), loader->findings);
        hn_yaml_need_text(labels, "adaptation", &policy->label_adaptation, loader->findings);
        hn_yaml_need_text(labels, "override", &policy->label_override, loader->findings);
        hn_yaml_need_text(labels, "hint", &policy->label_hint, loader->findings);
    }
}

void hn_load_conformance(struct hn_loader *loader, const struct hn_yaml *root)
{
    static const char *const keys[] = {"contract",      "levels",   "capabilities",
                                       "registrations", "profiles", "stages",
                                       "modules",       "gate",     "labels"};
    const struct hn_yaml *version = NULL;
    int64_t number = 0;
    hn_yaml_only_keys(root, keys, COUNT(keys), loader->findings);
    if (root->kind != HN_YAML_MAP)
        return;
    if (hn_yaml_need(root, "contract", &version, loader->findings) == HN_OK)
        hn_yaml_as_integer(version, 1, 1000000, &number, loader->findings);
    loader->catalogue->version = (int)number;
    read_levels(loader, root);
    read_capabilities(loader, root);
    loader->conformance = root;
    read_profiles_and_stages(loader, root);
    read_modules(loader, root);
    read_policy(loader, root);
}
