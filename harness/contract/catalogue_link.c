/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves every name of the contract to the thing it names, and joins checks with their code.
 * Fourth step of loading the catalogue: unknown, doubled and missing names become findings here.
 */
#include <stdlib.h>
#include <string.h>

#include "catalogue_internal.h"
#include "nearest.h"

static int compare_requirements(const void *a, const void *b)
{
    return strcmp((*(const struct hn_requirement *const *)a)->id,
                  (*(const struct hn_requirement *const *)b)->id);
}

static int compare_checks(const void *a, const void *b)
{
    return strcmp((*(const struct hn_check *const *)a)->id,
                  (*(const struct hn_check *const *)b)->id);
}

const struct hn_requirement *hn_find_requirement(const struct hn_requirement *const *sorted,
                                                 size_t count, const char *id)
{
    const struct hn_requirement wanted = {.id = id}, *key = &wanted;
    const struct hn_requirement *const *found =
        bsearch(&key, sorted, count, sizeof *sorted, compare_requirements);

    return found ? *found : NULL;
}

const struct hn_check *hn_find_check(const struct hn_check *const *sorted, size_t count,
                                     const char *id)
{
    const struct hn_check wanted = {.id = id}, *key = &wanted;
    const struct hn_check *const *found =
        bsearch(&key, sorted, count, sizeof *sorted, compare_checks);

    return found ? *found : NULL;
}

static const struct hn_yaml *id_node(const struct hn_yaml *map)
{
    const struct hn_yaml *node = hn_yaml_find(map, "id");

    return node ? node : map;
}

static void complain_twice(struct hn_loader *loader, const char *id, const struct hn_yaml *a,
                           const struct hn_yaml *b)
{
    const struct hn_yaml *first = a->file == b->file && a->line > b->line ? b : a;
    const struct hn_yaml *second = first == a ? b : a;

    if (id[0])
        hn_yaml_complain(id_node(second), loader->findings,
                         "%.60s is already defined in %s line %d; ids are never reused", id,
                         first->file, id_node(first)->line);
}

static int sort_ids(struct hn_loader *loader)
{
    const size_t requirements = loader->catalogue->requirement_count;
    const size_t checks = loader->catalogue->check_count;
    const struct hn_requirement **by_id =
        hn_arena_array(loader->arena, requirements + 1, sizeof *by_id);
    const struct hn_check **checks_by_id =
        hn_arena_array(loader->arena, checks + 1, sizeof *checks_by_id);

    if (!by_id || !checks_by_id)
        return hn_findings_add(loader->findings, "", 0, 0, "out of memory");
    for (size_t i = 0; i < requirements; i++)
        by_id[i] = &loader->requirements[i];
    for (size_t i = 0; i < checks; i++)
        checks_by_id[i] = &loader->checks[i];
    qsort(by_id, requirements, sizeof *by_id, compare_requirements);
    qsort(checks_by_id, checks, sizeof *checks_by_id, compare_checks);
    for (size_t i = 1; i < requirements; i++)
        if (strcmp(by_id[i - 1]->id, by_id[i]->id) == 0)
            complain_twice(loader, by_id[i]->id, by_id[i - 1]->source, by_id[i]->source);
    for (size_t i = 1; i < checks; i++)
        if (strcmp(checks_by_id[i - 1]->id, checks_by_id[i]->id) == 0)
            complain_twice(loader, checks_by_id[i]->id, checks_by_id[i - 1]->source,
                           checks_by_id[i]->source);
    loader->requirements_by_id = by_id;
    loader->checks_by_id = checks_by_id;
    return HN_OK;
}

/* Looks the text of a scalar node up; a finding with the nearest id when it is not there. */
static const struct hn_requirement *need_requirement(struct hn_loader *loader,
                                                     const struct hn_yaml *node)
{
    const size_t count = loader->catalogue->requirement_count;
    const struct hn_requirement *found =
        hn_find_requirement(loader->requirements_by_id, count, node->text);
    struct hn_nearest search;
    char hint[128];

    if (found)
        return found;
    hn_nearest_begin(&search, node->text);
    for (size_t i = 0; i < count; i++)
        hn_nearest_offer(&search, loader->requirements_by_id[i]->id);
    hn_yaml_complain(node, loader->findings, "no requirement is called \"%.60s\"%s", node->text,
                     hn_nearest_hint(search.best, hint, sizeof hint));
    return NULL;
}

static const struct hn_check *need_check(struct hn_loader *loader, const struct hn_yaml *node)
{
    const size_t count = loader->catalogue->check_count;
    const struct hn_check *found = hn_find_check(loader->checks_by_id, count, node->text);
    struct hn_nearest search;
    char hint[128];

    if (found)
        return found;
    hn_nearest_begin(&search, node->text);
    for (size_t i = 0; i < count; i++)
        hn_nearest_offer(&search, loader->checks_by_id[i]->id);
    hn_yaml_complain(node, loader->findings, "no check is called \"%.60s\"%s", node->text,
                     hn_nearest_hint(search.best, hint, sizeof hint));
    return NULL;
}

/* First scalar of a member that is a scalar or a list; walk with ->next when it is a list. */
static const struct hn_yaml *first_of(const struct hn_yaml *map, const char *key)
{
    const struct hn_yaml *node = hn_yaml_find(map, key);

    return node && node->kind == HN_YAML_LIST ? node->first : node;
}

static const struct hn_yaml *next_of(const struct hn_yaml *item)
{
    return item->key ? NULL : item->next; /* a lone scalar's sibling is another key */
}

static size_t count_of(const struct hn_yaml *map, const char *key)
{
    const struct hn_yaml *node = hn_yaml_find(map, key);

    return !node ? 0 : node->kind == HN_YAML_LIST ? node->count : 1;
}

static void link_covers(struct hn_loader *loader, struct hn_check *check)
{
    const size_t count = count_of(check->source, "covers");
    int core = count > 0;

    check->covers = hn_arena_array(loader->arena, count + 1, sizeof *check->covers);
    if (!check->covers)
        return;
    if (count == 0)
        hn_yaml_complain(check->source, loader->findings,
                         "\"covers\" is missing here: a check shows at least one requirement");
    for (const struct hn_yaml *item = first_of(check->source, "covers"); item;
         item = next_of(item)) {
        const char *text;
        const struct hn_requirement *found =
            hn_yaml_as_text(item, &text, loader->findings) ? NULL : need_requirement(loader, item);
        if (!found)
            continue;
        check->covers[check->covers_count++] = found;
        ((struct hn_requirement *)(uintptr_t)found)->checks++;
        core = core && found->subject == HN_CORE;
        if (found->level < check->level)
            check->level = found->level;
    }
    check->subject = core ? HN_CORE : HN_BACKEND;
    if (!check->summary[0] && check->covers_count)
        check->summary = check->covers[0]->text;
}

/* A check that names no capability of its own has those of all it covers; needs likewise. */
static void inherit(struct hn_loader *loader, struct hn_check *check)
{
    const int own_needs = hn_yaml_find(check->source, "needs") != NULL;
    size_t most = 0, count = 0;

    for (size_t i = 0; i < check->covers_count; i++) {
        most += check->covers[i]->capabilities.count;
        check->needs |= own_needs ? 0 : check->covers[i]->needs;
    }
    if (hn_yaml_find(check->source, "capability"))
        return;
    const char **names = hn_arena_array(loader->arena, most + 1, sizeof *names);
    if (!names)
        return;
    for (size_t i = 0; i < check->covers_count; i++) {
        const struct hn_texts *texts = &check->covers[i]->capabilities;
        for (size_t j = 0; j < texts->count; j++)
            if (!hn_texts_contain(&(struct hn_texts){names, count}, texts->items[j]))
                names[count++] = texts->items[j];
    }
    check->capabilities = (struct hn_texts){names, count};
}

static void link_builds_on(struct hn_loader *loader, struct hn_check *check)
{
    const size_t count = count_of(check->source, "builds_on");

    check->builds_on = hn_arena_array(loader->arena, count + 1, sizeof *check->builds_on);
    if (!check->builds_on)
        return;
    for (const struct hn_yaml *item = first_of(check->source, "builds_on"); item;
         item = next_of(item)) {
        const char *text;
        const struct hn_check *found =
            hn_yaml_as_text(item, &text, loader->findings) ? NULL : need_check(loader, item);
        if (found)
            check->builds_on[check->builds_on_count++] = found;
    }
}

static void link_capabilities(struct hn_loader *loader, const struct hn_yaml *map)
{
    const struct hn_catalogue *catalogue = loader->catalogue;
    struct hn_nearest search;
    char hint[128];

    for (const struct hn_yaml *item = first_of(map, "capability"); item; item = next_of(item)) {
        if (item->kind != HN_YAML_SCALAR || hn_catalogue_capability(catalogue, item->text))
            continue;
        hn_nearest_begin(&search, item->text);
        for (size_t i = 0; i < catalogue->capability_count; i++)
            hn_nearest_offer(&search, catalogue->capabilities[i].name);
        hn_yaml_complain(item, loader->findings,
                         "no capability is called \"%.60s\"%s; they are listed in conformance.yaml",
                         item->text, hn_nearest_hint(search.best, hint, sizeof hint));
    }
}

static void link_faults(struct hn_loader *loader, const struct hn_check *check)
{
    const struct hn_catalogue *catalogue = loader->catalogue;
    struct hn_nearest search;
    char hint[128];

    for (const struct hn_yaml *item = first_of(check->source, "faults"); item;
         item = next_of(item)) {
        if (!catalogue->fault_count || item->kind != HN_YAML_SCALAR ||
            hn_catalogue_fault(catalogue, item->text))
            continue;
        hn_nearest_begin(&search, item->text);
        for (size_t i = 0; i < catalogue->fault_count; i++)
            hn_nearest_offer(&search, catalogue->faults[i].name);
        hn_yaml_complain(item, loader->findings, "the fake device has no fault \"%.60s\"%s",
                         item->text, hn_nearest_hint(search.best, hint, sizeof hint));
    }
}

static void link_code(struct hn_loader *loader)
{
    struct hn_nearest search;
    char hint[128];

    for (size_t i = 0; i < loader->code_count; i++) {
        struct hn_code *code = &loader->code[i];
        struct hn_check *check = (struct hn_check *)(uintptr_t)hn_find_check(
            loader->checks_by_id, loader->catalogue->check_count, code->id);
        if (check && check->file[0]) {
            hn_findings_add(loader->findings, code->file, code->line, 0,
                            "check %.60s is already written in %s line %d", code->id, check->file,
                            check->line);
        } else if (check) {
            check->file = code->file;
            check->line = code->line;
            check->kind = code->kind;
        } else {
            hn_nearest_begin(&search, code->id);
            for (size_t j = 0; j < loader->catalogue->check_count; j++)
                hn_nearest_offer(&search, loader->checks[j].id);
            hn_findings_add(loader->findings, code->file, code->line, 0,
                            "no contract.yaml has a check \"%.60s\"%s", code->id,
                            hn_nearest_hint(search.best, hint, sizeof hint));
        }
    }
}

/* A check that nothing in the code carries out. */
static void need_code(struct hn_loader *loader, const struct hn_check *check)
{
    struct hn_nearest search;
    char hint[128];

    if (check->file[0] || !check->id[0])
        return;
    hn_nearest_begin(&search, check->id);
    for (size_t i = 0; i < loader->code_count; i++)
        if (!hn_find_check(loader->checks_by_id, loader->catalogue->check_count,
                           loader->code[i].id))
            hn_nearest_offer(&search, loader->code[i].id);
    hn_yaml_complain(id_node(check->source), loader->findings,
                     "check %.60s has no code in %s/check_*.c or test_*.py%s", check->id,
                     check->module->place, hn_nearest_hint(search.best, hint, sizeof hint));
}

/* Reasons of the requirements without a check; the rest of an entry's shape. */
static void link_untested(struct hn_loader *loader, const struct hn_yaml *root)
{
    static const char *const keys[] = {"id", "reason"};
    const struct hn_yaml *list = hn_yaml_find(root, "untested"), *id = NULL, *reason = NULL;
    const char *text = NULL;

    if (!list || hn_yaml_is_list(list, loader->findings))
        return;
    for (const struct hn_yaml *map = list->first; map; map = map->next) {
        if (hn_yaml_only_keys(map, keys, 2, loader->findings) ||
            hn_yaml_need(map, "id", &id, loader->findings) ||
            hn_yaml_need(map, "reason", &reason, loader->findings) ||
            hn_yaml_as_text(id, &text, loader->findings) ||
            hn_yaml_as_text(reason, &text, loader->findings))
            continue;
        const struct hn_requirement *found = need_requirement(loader, id);
        if (found && found->checks)
            hn_yaml_complain(id, loader->findings,
                             "%s has a check: it does not belong in the untested list", found->id);
        else if (found)
            ((struct hn_requirement *)(uintptr_t)found)->untested = text;
    }
}

static void link_capability_checks(struct hn_loader *loader,
                                   struct hn_contract_capability *capability)
{
    const struct hn_yaml *probe = hn_yaml_find(capability->source, "probe");
    const struct hn_yaml *refusal = hn_yaml_find(capability->source, "refusal");
    const char *text;

    if (probe && hn_yaml_as_text(probe, &text, loader->findings) == HN_OK)
        capability->probe = need_check(loader, probe);
    if (refusal && hn_yaml_as_text(refusal, &text, loader->findings) == HN_OK)
        capability->refusal = need_check(loader, refusal);
}

static void check_requirement(struct hn_loader *loader, const struct hn_requirement *requirement)
{
    link_capabilities(loader, requirement->source);
    if (requirement->checks && !requirement->why[0])
        hn_yaml_complain(id_node(requirement->source), loader->findings,
                         "%s has a check, so it needs a \"why\": what breaks for a user",
                         requirement->id);
}

void hn_link_catalogue(struct hn_loader *loader)
{
    struct hn_catalogue *catalogue = loader->catalogue;

    if (!loader->requirements || !loader->checks || sort_ids(loader))
        return;
    link_code(loader);
    for (size_t i = 0; i < catalogue->check_count; i++) {
        struct hn_check *check = &loader->checks[i];
        link_covers(loader, check);
        inherit(loader, check);
        link_builds_on(loader, check);
        link_capabilities(loader, check->source);
        link_faults(loader, check);
        need_code(loader, check);
    }
    for (size_t i = 0; i < catalogue->module_count; i++)
        if (loader->contracts[i])
            link_untested(loader, loader->contracts[i]);
    for (size_t i = 0; i < catalogue->requirement_count; i++)
        check_requirement(loader, &loader->requirements[i]);
    for (size_t i = 0; i < catalogue->capability_count; i++)
        link_capability_checks(loader, &loader->capabilities[i]);
    hn_link_about(loader);
}
