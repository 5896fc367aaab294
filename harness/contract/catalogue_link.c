/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resolves every name of the contract, and joins checks with their code. Fourth step of loading
 * the catalogue: unknown, duplicate and missing names become findings here.
 */
#include <string.h>

#include "catalogue_internal.h"
#include "nearest.h"

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
    struct hn_catalogue *catalogue = loader->catalogue;
    catalogue->requirements_by_id =
        hn_sort_rows(loader->arena, loader->requirements, catalogue->requirement_count,
                     sizeof *loader->requirements);
    catalogue->checks_by_id =
        hn_sort_rows(loader->arena, loader->checks, catalogue->check_count, sizeof *loader->checks);
    if (!catalogue->requirements_by_id || !catalogue->checks_by_id)
        return hn_findings_add(loader->findings, "", 0, 0, "out of memory");
    for (size_t i = 1; i < catalogue->requirement_count; i++) {
        const struct hn_requirement *a = catalogue->requirements_by_id[i - 1];
        const struct hn_requirement *b = catalogue->requirements_by_id[i];
        if (strcmp(a->id, b->id) == 0)
            complain_twice(loader, a->id, a->source, b->source);
    }
    for (size_t i = 1; i < catalogue->check_count; i++) {
        const struct hn_check *a = catalogue->checks_by_id[i - 1];
        const struct hn_check *b = catalogue->checks_by_id[i];
        if (strcmp(a->id, b->id) == 0)
            complain_twice(loader, a->id, a->source, b->source);
    }
    return HN_OK;
}

/* Reports an unknown name, with the most similar known name. */
static void complain_unknown(struct hn_loader *loader, const struct hn_yaml *node, const char *what,
                             const void *rows, size_t count, size_t size)
{
    struct hn_nearest search;
    hn_nearest_begin(&search, node->text);
    hn_nearest_offer_rows(&search, rows, count, size);
    hn_yaml_complain(node, loader->findings, "%s \"%.60s\"%s", what, node->text,
                     hn_nearest_hint(&search));
}

static const struct hn_requirement *need_requirement(struct hn_loader *loader,
                                                     const struct hn_yaml *node)
{
    const struct hn_requirement *found = hn_catalogue_requirement(loader->catalogue, node->text);
    if (!found)
        complain_unknown(loader, node, "no requirement is called", loader->requirements,
                         loader->catalogue->requirement_count, sizeof *loader->requirements);
    return found;
}

static const struct hn_check *need_check(struct hn_loader *loader, const struct hn_yaml *node)
{
    const struct hn_check *found = hn_catalogue_check(loader->catalogue, node->text);
    if (!found)
        complain_unknown(loader, node, "no check is called", loader->checks,
                         loader->catalogue->check_count, sizeof *loader->checks);
    return found;
}

/* First scalar of a member that is a scalar or a list; continue with ->next if it is a list. */
static const struct hn_yaml *first_of(const struct hn_yaml *map, const char *key)
{
    const struct hn_yaml *node = hn_yaml_find(map, key);
    return node && node->kind == HN_YAML_LIST ? node->first : node;
}

static const struct hn_yaml *next_of(const struct hn_yaml *item)
{
    return item->key ? NULL : item->next; /* the next sibling of a single scalar is another key */
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
    struct hn_clause *clauses = hn_arena_array(loader->arena, count + 1, sizeof *clauses);
    check->clauses = clauses;
    check->covers = hn_arena_array(loader->arena, count + 1, sizeof *check->covers);
    if (!check->covers || !clauses)
        return;
    if (count == 0)
        hn_yaml_complain(check->source, loader->findings,
                         "\"covers\" is missing here: a check must cover at least one requirement");
    for (const struct hn_yaml *item = first_of(check->source, "covers"); item;
         item = next_of(item)) {
        const char *text;
        const struct hn_requirement *found =
            hn_yaml_as_text(item, &text, loader->findings) ? NULL : need_requirement(loader, item);
        if (!found)
            continue;
        check->covers[check->covers_count++] = found;
        clauses[check->clause_count++] = (struct hn_clause){found->id, found->level};
        ((struct hn_requirement *)(uintptr_t)found)->checks++;
        core = core && found->subject == HN_CORE;
        if (found->level < check->level)
            check->level = found->level;
    }
    if (count < 2 && hn_yaml_find(check->source, "clauses"))
        hn_yaml_complain(hn_yaml_find(check->source, "clauses"), loader->findings,
                         "\"clauses\" is only for a check that covers several requirements");
    check->subject = core ? HN_CORE : HN_BACKEND;
    if (!check->words.summary[0] && check->covers_count)
        check->words.summary = check->covers[0]->text;
}

/* A check without its own capabilities or needs inherits the capabilities or needs of all clauses
 * that the check covers. A check applies to every torch to which at least one of its clauses
 * applies. */
static void inherit(struct hn_loader *loader, struct hn_check *check)
{
    const int own_needs = hn_yaml_find(check->source, "needs") != NULL;
    for (size_t i = 0; i < check->covers_count; i++) {
        const struct hn_requirement *covered = check->covers[i];
        check->needs |= own_needs ? 0 : covered->needs;
        check->torch = i ? hn_torch_range_join(check->torch, covered->torch) : covered->torch;
    }
    if (!hn_yaml_find(check->source, "capability"))
        check->capabilities =
            hn_join_texts(loader->arena, check, offsetof(struct hn_requirement, capabilities));
}

/* Adds the checks that an entry names under `key` to a list with enough room. */
static void add_checks(struct hn_loader *loader, const struct hn_yaml *source, const char *key,
                       const struct hn_check **list, size_t *count)
{
    for (const struct hn_yaml *item = first_of(source, key); item; item = next_of(item)) {
        const char *text;
        const struct hn_check *found =
            hn_yaml_as_text(item, &text, loader->findings) ? NULL : need_check(loader, item);
        if (found)
            list[(*count)++] = found;
    }
}

static void link_checks(struct hn_loader *loader, const struct hn_yaml *source, const char *key,
                        const struct hn_check ***list, size_t *count)
{
    *list = hn_arena_array(loader->arena, count_of(source, key) + 1, sizeof **list);
    if (*list)
        add_checks(loader, source, key, *list, count);
}

static int is_registration(const struct hn_loader *loader, const struct hn_check *check)
{
    for (const struct hn_yaml *item = first_of(loader->conformance, "registrations"); item;
         item = next_of(item))
        if (item->kind == HN_YAML_SCALAR && strcmp(item->text, check->id) == 0)
            return 1;
    return 0;
}

/* Adds the checks that the entry names and, last, the registrations without which every check of
 * a backend fails. */
static void link_fails_with(struct hn_loader *loader, struct hn_check *check)
{
    const size_t own = count_of(check->source, "fails_with");
    const size_t all = count_of(loader->conformance, "registrations");
    check->fails_with = hn_arena_array(loader->arena, own + all + 1, sizeof *check->fails_with);
    if (!check->fails_with)
        return;
    add_checks(loader, check->source, "fails_with", check->fails_with, &check->fails_with_own);
    check->fails_with_count = check->fails_with_own;
    if (!is_registration(loader, check))
        add_checks(loader, loader->conformance, "registrations", check->fails_with,
                   &check->fails_with_count);
}

static void link_capabilities(struct hn_loader *loader, const struct hn_yaml *map)
{
    const struct hn_catalogue *catalogue = loader->catalogue;
    for (const struct hn_yaml *item = first_of(map, "capability"); item; item = next_of(item))
        if (item->kind == HN_YAML_SCALAR && !hn_catalogue_capability(catalogue, item->text))
            complain_unknown(loader, item, "conformance.yaml lists no capability that is called",
                             catalogue->capabilities, catalogue->capability_count,
                             sizeof *catalogue->capabilities);
}

static void link_faults(struct hn_loader *loader, const struct hn_check *check)
{
    const struct hn_catalogue *catalogue = loader->catalogue;
    for (const struct hn_yaml *item = first_of(check->source, "faults"); item; item = next_of(item))
        if (catalogue->fault_count && item->kind == HN_YAML_SCALAR &&
            !hn_catalogue_fault(catalogue, item->text))
            complain_unknown(loader, item, "the list of faults has no", catalogue->faults,
                             catalogue->fault_count, sizeof *catalogue->faults);
}

static void link_code(struct hn_loader *loader)
{
    struct hn_nearest search;
    for (size_t i = 0; i < loader->code_count; i++) {
        struct hn_code *code = &loader->code[i];
        struct hn_check *check =
            (struct hn_check *)(uintptr_t)hn_catalogue_check(loader->catalogue, code->id);
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
            HN_NEAREST_OFFER_ALL(&search, loader->checks, loader->catalogue->check_count);
            hn_findings_add(loader->findings, code->file, code->line, 0,
                            "no contract.yaml has a check \"%.60s\"%s", code->id,
                            hn_nearest_hint(&search));
        }
    }
}

/* Reports a check that has no code. */
static void need_code(struct hn_loader *loader, const struct hn_check *check)
{
    struct hn_nearest search;
    if (check->file[0] || !check->id[0])
        return;
    hn_nearest_begin(&search, check->id);
    for (size_t i = 0; i < loader->code_count; i++)
        if (!hn_catalogue_check(loader->catalogue, loader->code[i].id))
            hn_nearest_offer(&search, loader->code[i].id);
    hn_yaml_complain(id_node(check->source), loader->findings,
                     "check %.60s has no code in %s/check_*.c or test_*.py%s", check->id,
                     check->module->place, hn_nearest_hint(&search));
}

/* Sets the reasons of requirements without a check, and verifies the rest of the entry. */
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
        if (found && (found->checks || found->listed))
            hn_yaml_complain(id, loader->findings,
                             "%s has a check: it does not belong in the untested list", found->id);
        else if (found)
            ((struct hn_requirement *)(uintptr_t)found)->untested = text;
    }
}

/* Sets the clauses that the listed checks of the command `by` test. */
static void link_listed(struct hn_loader *loader, const struct hn_yaml *root)
{
    static const char *const keys[] = {"by", "covers"};
    const struct hn_yaml *map = hn_yaml_find(root, "listed"), *by = NULL;
    const char *text = NULL;
    if (!map || hn_yaml_only_keys(map, keys, 2, loader->findings) ||
        hn_yaml_need(map, "by", &by, loader->findings) ||
        hn_yaml_as_text(by, &text, loader->findings))
        return;
    for (const struct hn_yaml *item = first_of(map, "covers"); item; item = next_of(item)) {
        const struct hn_requirement *found = need_requirement(loader, item);
        if (found)
            ((struct hn_requirement *)(uintptr_t)found)->listed = text;
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
    hn_link_dispute(loader, requirement);
    if ((requirement->checks || requirement->listed) && !requirement->why[0])
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
        link_checks(loader, check->source, "builds_on", &check->builds_on, &check->builds_on_count);
        link_fails_with(loader, check);
        link_capabilities(loader, check->source);
        link_faults(loader, check);
        need_code(loader, check);
    }
    for (size_t i = 0; i < catalogue->module_count; i++)
        if (loader->contracts[i]) {
            link_listed(loader, loader->contracts[i]);
            link_untested(loader, loader->contracts[i]);
        }
    for (size_t i = 0; i < catalogue->requirement_count; i++)
        check_requirement(loader, &loader->requirements[i]);
    for (size_t i = 0; i < catalogue->capability_count; i++)
        link_capability_checks(loader, &loader->capabilities[i]);
    hn_link_about(loader);
}
