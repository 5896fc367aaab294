/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads suites/<module>/contract.yaml: requirements, untested, checks. Second step of loading
 * the catalogue; names are resolved later.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "anchor.h"
#include "catalogue_internal.h"
#include "file.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const requirement_keys[] = {"id",      "level", "text",       "why",
                                               "anchor",  "about", "capability", "needs_device",
                                               "subject", "since", "until",      "disputed"};

/* The list under `key`, NULL if it is missing or invalid. */
static const struct hn_yaml *list_of(struct hn_loader *loader, const struct hn_yaml *root,
                                     const char *key)
{
    const struct hn_yaml *list = hn_yaml_find(root, key);
    return list && hn_yaml_is_list(list, loader->findings) == HN_OK ? list : NULL;
}

/* Reads one word or a list of words into a set with one bit for each word. */
static void read_set(struct hn_loader *loader, const struct hn_yaml *node, const char *const *words,
                     int count, unsigned *set)
{
    const struct hn_yaml *item = node && node->kind == HN_YAML_LIST ? node->first : node;
    for (; item; item = item->next) {
        size_t bit;
        if (hn_yaml_as_choice(item, words, (size_t)count, &bit, loader->findings) == HN_OK)
            *set |= 1u << bit;
        if (item == node)
            break;
    }
}

static void read_anchor(struct hn_loader *loader, const struct hn_yaml *map, const char **anchor)
{
    hn_yaml_text(map, "anchor", anchor, loader->findings);
    if (**anchor && !hn_anchor_is_right(*anchor))
        hn_yaml_complain(hn_yaml_find(map, "anchor"), loader->findings,
                         "an anchor is FILE, FILE:Class::member or a name, with or without a note "
                         "in brackets after it; \"; \" separates anchors");
}

/* Format: DEV-004, which is the module's prefix, a hyphen and three digits. */
static void check_requirement_id(struct hn_loader *loader, const struct hn_yaml *map,
                                 const struct hn_requirement *requirement)
{
    const char *prefix = requirement->module->prefix, *id = requirement->id;
    const size_t length = strlen(prefix);
    const int right = strncmp(id, prefix, length) == 0 && id[length] == '-' &&
                      strspn(id + length + 1, "0123456789") == 3 && !id[length + 4];
    if (id[0] && prefix[0] && !right)
        hn_yaml_complain(hn_yaml_find(map, "id"), loader->findings,
                         "\"%.40s\" must look like %s-001: ids of module %s begin with %s", id,
                         prefix, requirement->module->name, prefix);
}

static void read_requirement(struct hn_loader *loader, const struct hn_yaml *map,
                             const struct hn_module *module, struct hn_requirement *out)
{
    size_t level = HN_MUST, subject = HN_BACKEND;
    const struct hn_yaml *node = NULL;
    *out = (struct hn_requirement){.id = "",
                                   .text = "",
                                   .why = "",
                                   .anchor = "",
                                   .torch = {"", ""},
                                   .module = module,
                                   .source = map};
    hn_read_dispute(loader, map, &out->dispute);
    hn_yaml_only_keys(map, requirement_keys, COUNT(requirement_keys), loader->findings);
    if (map->kind != HN_YAML_MAP)
        return;
    hn_yaml_need_text(map, "id", &out->id, loader->findings);
    hn_yaml_need_text(map, "text", &out->text, loader->findings);
    if (hn_yaml_need(map, "level", &node, loader->findings) == HN_OK)
        hn_yaml_as_choice(node, hn_level_names, HN_LEVELS, &level, loader->findings);
    hn_yaml_choice(map, "subject", hn_subject_names, HN_SUBJECTS, &subject, loader->findings);
    out->level = (enum hn_level)level;
    out->subject = (enum hn_subject)subject;
    hn_yaml_text(map, "why", &out->why, loader->findings);
    read_anchor(loader, map, &out->anchor);
    hn_yaml_text(map, "since", &out->torch.since, loader->findings);
    hn_yaml_text(map, "until", &out->torch.until, loader->findings);
    hn_read_texts(loader, hn_yaml_find(map, "about"), &out->about);
    hn_read_texts(loader, hn_yaml_find(map, "capability"), &out->capabilities);
    read_set(loader, hn_yaml_find(map, "needs_device"), hn_needs_names, HN_NEEDS_COUNT,
             &out->needs);
    check_requirement_id(loader, map, out);
}

static const struct {
    const char *name;
    int number;
} signals[] = {{"SIGABRT", SIGABRT}, {"SIGSEGV", SIGSEGV}, {"SIGBUS", SIGBUS},  {"SIGFPE", SIGFPE},
               {"SIGILL", SIGILL},   {"SIGTERM", SIGTERM}, {"SIGKILL", SIGKILL}};

static void read_expect(struct hn_loader *loader, const struct hn_yaml *map, struct hn_check *out)
{
    static const char *const keys[] = {"signal", "status"};
    const char *names[COUNT(signals)];
    const struct hn_yaml *expect = hn_yaml_find(map, "expect");
    size_t which = COUNT(signals);
    int64_t status = -1;
    if (!expect || hn_yaml_only_keys(expect, keys, COUNT(keys), loader->findings))
        return;
    for (size_t i = 0; i < COUNT(signals); i++)
        names[i] = signals[i].name;
    hn_yaml_choice(expect, "signal", names, COUNT(names), &which, loader->findings);
    hn_yaml_integer(expect, "status", 0, 255, &status, loader->findings);
    if (expect->count != 1)
        hn_yaml_complain(expect, loader->findings, "expect either a signal or a status");
    out->expect_signal = which < COUNT(signals) ? signals[which].number : 0;
    out->expect_status = (int)status;
}

/* Format: guard.exchange_device_returns_the_previous_device, which is the module's name, a dot
 * and a word; ids of listed checks contain names of other projects. */
static void check_check_id(struct hn_loader *loader, const struct hn_yaml *map,
                           const struct hn_check *check)
{
    const char *name = check->module->name, *id = check->id;
    const size_t length = strlen(name);
    static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    static const char foreign[] =
        "abcdefghijklmnopqrstuvwxyz0123456789_.ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const char *letters = loader->reads_listed ? foreign : word;
    const int right = strncmp(id, name, length) == 0 && id[length] == '.' && id[length + 1] &&
                      !id[length + 1 + strspn(id + length + 1, letters)];
    if (id[0] && !right)
        hn_yaml_complain(hn_yaml_find(map, "id"), loader->findings,
                         "\"%.60s\" must look like %s.what_it_shows, in small letters", id, name);
}

static void read_field(struct hn_loader *loader, const struct hn_yaml *map,
                       const struct hn_check_field *field, struct hn_check *out)
{
    void *member = hn_check_member(out, field);
    const struct hn_yaml *node = hn_yaml_find(map, field->name);
    int64_t number;
    size_t word;
    if (field->type == HN_CHECK_TEXT && (field->where & HN_CHECK_NEEDED))
        hn_yaml_need_text(map, field->name, member, loader->findings);
    else if (field->type == HN_CHECK_TEXT)
        hn_yaml_text(map, field->name, member, loader->findings);
    else if (field->type == HN_CHECK_TEXTS)
        hn_read_texts(loader, node, member);
    else if (field->type == HN_CHECK_SET)
        read_set(loader, node, field->words, field->word_count, member);
    else if (node && field->type == HN_CHECK_NUMBER &&
             hn_yaml_integer(map, field->name, field->lowest, field->highest, &number,
                             loader->findings) == HN_OK)
        *(int *)member = (int)number;
    else if (node && field->type == HN_CHECK_WORD &&
             hn_yaml_choice(map, field->name, field->words, (size_t)field->word_count, &word,
                            loader->findings) == HN_OK)
        *(int *)member = (int)word;
}

static void check_keys(struct hn_loader *loader, const struct hn_yaml *map)
{
    const char *keys[40] = {"covers", "builds_on", "fails_with", "expect"};
    size_t count = 4;
    for (size_t i = 0; i < hn_check_field_count && count < COUNT(keys); i++)
        if (hn_check_fields[i].where & HN_CHECK_GIVEN)
            keys[count++] = hn_check_fields[i].name;
    hn_yaml_only_keys(map, keys, count, loader->findings);
}

void hn_read_check(struct hn_loader *loader, const struct hn_yaml *map,
                   const struct hn_module *module, struct hn_check *out)
{
    *out = (struct hn_check)HN_CHECK_PLAIN;
    out->module = module;
    out->level = HN_ADVISORY; /* until its clauses are linked */
    out->source = map;
    check_keys(loader, map);
    if (map->kind != HN_YAML_MAP)
        return;
    for (size_t i = 0; i < hn_check_field_count; i++)
        if (hn_check_fields[i].where & HN_CHECK_GIVEN)
            read_field(loader, map, &hn_check_fields[i], out);
    read_expect(loader, map, out);
    check_check_id(loader, map, out);
}

static void open_contract(struct hn_loader *loader, size_t index)
{
    static const char *const keys[] = {"requirements", "untested", "listed", "checks", "module"};
    const struct hn_module *module = &loader->modules[index];
    const size_t known = module->place[0] == '/' ? COUNT(keys) : COUNT(keys) - 1;
    char path[HN_PATH_SIZE];
    const struct hn_yaml *root = NULL;
    hn_module_path(loader, module, "contract.yaml", path);
    struct hn_yaml_document **document = &loader->documents[loader->document_count];
    if (hn_yaml_read(path, document, &root, loader->findings))
        return;
    loader->document_count++;
    hn_yaml_only_keys(root, keys, known, loader->findings);
    if (root->kind == HN_YAML_MAP)
        loader->contracts[index] = root;
}

static size_t count_items(const struct hn_loader *loader, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < loader->catalogue->module_count; i++) {
        const struct hn_yaml *root = loader->contracts[i];
        const struct hn_yaml *list = root ? hn_yaml_find(root, key) : NULL;
        count += list ? list->count : 0;
    }
    return count;
}

static void read_contract(struct hn_loader *loader, size_t index)
{
    const struct hn_yaml *root = loader->contracts[index];
    const struct hn_module *module = &loader->modules[index];
    struct hn_catalogue *catalogue = loader->catalogue;
    const struct hn_yaml *list = list_of(loader, root, "requirements");
    for (const struct hn_yaml *map = list ? list->first : NULL; map; map = map->next)
        read_requirement(loader, map, module,
                         &loader->requirements[catalogue->requirement_count++]);
    list = list_of(loader, root, "checks");
    for (const struct hn_yaml *map = list ? list->first : NULL; map; map = map->next)
        hn_read_check(loader, map, module, &loader->checks[catalogue->check_count++]);
}

void hn_load_contracts(struct hn_loader *loader)
{
    const size_t modules = loader->catalogue->module_count;
    for (size_t i = 0; i < modules; i++)
        open_contract(loader, i);
    loader->requirements = hn_arena_array(loader->arena, count_items(loader, "requirements") + 1,
                                          sizeof *loader->requirements);
    const size_t checks =
        count_items(loader, "checks") + (loader->listed ? loader->listed->count : 0);
    loader->checks = hn_arena_array(loader->arena, checks + 1, sizeof *loader->checks);
    if (!loader->requirements || !loader->checks) {
        hn_findings_add(loader->findings, "", 0, 0, "out of memory");
        return;
    }
    for (size_t i = 0; i < modules; i++)
        if (loader->contracts[i])
            read_contract(loader, i);
    loader->catalogue->requirements = loader->requirements;
    loader->catalogue->checks = loader->checks;
}
