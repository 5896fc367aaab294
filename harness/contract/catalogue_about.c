/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Subjects of a clause: names of means. Each subject must occur in the anchor of the clause:
 * otherwise the author of a clause could freely choose which functions a backend must have. Also
 * computes the subjects that every backend must have because no optional capability covers them.
 * Last step of linking.
 */
#include <ctype.h>
#include <string.h>

#include "catalogue_internal.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ABOUT_MOST 3

static const char *const kinds[] = {"guard",  "hooks",   "allocator", "generator",
                                    "module", "keyword", "device"};

static int is_kind(const char *name, size_t length)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (strlen(kinds[i]) == length && strncmp(kinds[i], name, length) == 0)
            return 1;
    return 0;
}

/* Finds the part of a name that an anchor contains: "mm" of aten::mm.out, "setDevice" of
 * guard.setDevice. Returns its length, or 0 if the name is not the name of a means. */
static size_t last_part(const char *name, const char **part)
{
    const char *const scope = strstr(name, "::");
    if (scope) {
        *part = scope + 2;
        return strcspn(*part, ".");
    }
    const size_t kind = strcspn(name, ".");
    if (!name[kind] || !is_kind(name, kind))
        return 0;
    *part = name + kind + 1;
    return strlen(*part);
}

static int is_letter(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

/* Finds whole words only: getDeviceGuardImpl does not contain the word getDevice. */
static int has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; *at; at++) {
        const int begins = at == text || !is_letter(at[-1]);
        if (begins && strncmp(at, word, length) == 0 && !is_letter(at[length]))
            return 1;
    }
    return 0;
}

static void check_name(struct hn_loader *loader, const struct hn_requirement *requirement,
                       const struct hn_yaml *node, const char *name)
{
    const char *part = NULL;
    const size_t length = last_part(name, &part);
    if (!length)
        hn_yaml_complain(
            node, loader->findings,
            "\"%.60s\" does not name a means: write an operator like aten::mm, or guard., "
            "hooks., allocator., generator., module., keyword., device. and a name",
            name);
    else if (!has_word(requirement->anchor, part, length))
        hn_yaml_complain(node, loader->findings,
                         "%s says that it is about %.60s, but its anchor has no \"%.*s\"",
                         requirement->id, name, (int)length, part);
}

static void check_about(struct hn_loader *loader, const struct hn_requirement *requirement)
{
    const struct hn_yaml *node = hn_yaml_find(requirement->source, "about");
    if (requirement->about.count > ABOUT_MOST)
        hn_yaml_complain(node, loader->findings,
                         "%s is about %zu things; name at most %d: the rest are means",
                         requirement->id, requirement->about.count, ABOUT_MOST);
    for (size_t i = 0; i < requirement->about.count; i++)
        check_name(loader, requirement, node, requirement->about.items[i]);
}

/* Returns one flag per module, set if the module gives subjects for a clause. NULL means out of
 * memory, which `hn_join_texts` also reports. */
static const unsigned char *modules_that_say(struct hn_loader *loader)
{
    const struct hn_catalogue *catalogue = loader->catalogue;
    unsigned char *said = hn_arena_array(loader->arena, catalogue->module_count + 1, 1);
    for (size_t i = 0; said && i < catalogue->requirement_count; i++)
        if (loader->requirements[i].module && hn_yaml_find(loader->requirements[i].source, "about"))
            said[loader->requirements[i].module - loader->modules] = 1;
    return said;
}

/* If a module gives subjects for one clause, all its clauses with checks must have subjects. */
static void need_about(struct hn_loader *loader, const struct hn_requirement *requirement,
                       const unsigned char *said)
{
    if (said && requirement->module && said[requirement->module - loader->modules] &&
        requirement->checks && !hn_yaml_find(requirement->source, "about"))
        hn_yaml_complain(requirement->source, loader->findings,
                         "%s has a check, so it needs \"about\": what the clause is about, or [] "
                         "if it is about no single thing of the backend",
                         requirement->id);
}

/* ---- subjects that every backend must have ---- */

static int may_be_absent(const struct hn_catalogue *catalogue, const char *means)
{
    for (size_t i = 0; i < catalogue->capability_count; i++)
        if (hn_texts_contain(&catalogue->capabilities[i].means, means))
            return 1;
    return 0;
}

static int is_owed(const struct hn_requirement *requirement)
{
    return requirement->level == HN_MUST && requirement->subject == HN_BACKEND &&
           requirement->capabilities.count == 0;
}

/* "DEV-009:guard.setDevice DEV-033:guard.exchangeDevice". The text is empty for a check that needs
 * a capability, because a backend that refuses a subject lacks the capability. */
static const char *owed_by(struct hn_loader *loader, const struct hn_check *check)
{
    const char *owed = "";
    for (size_t i = 0; i < check->covers_count && check->capabilities.count == 0; i++) {
        const struct hn_requirement *covered = check->covers[i];
        for (size_t k = 0; is_owed(covered) && k < covered->about.count; k++)
            if (!may_be_absent(loader->catalogue, covered->about.items[k]))
                owed = hn_arena_text(loader->arena, "%s%s%s:%s", owed, *owed ? " " : "",
                                     covered->id, covered->about.items[k]);
    }
    return owed;
}

/* A name that is the subject of no clause is a misspelling. */
static void check_means(struct hn_loader *loader, const struct hn_contract_capability *capability)
{
    for (size_t i = 0; i < capability->means.count; i++) {
        int known = 0;
        for (size_t k = 0; k < loader->catalogue->requirement_count && !known; k++)
            known = hn_texts_contain(&loader->requirements[k].about, capability->means.items[i]);
        if (!known)
            hn_yaml_complain(hn_yaml_find(capability->source, "means"), loader->findings,
                             "no clause is about %.60s, which the capability %s may lack",
                             capability->means.items[i], capability->name);
    }
}

void hn_link_about(struct hn_loader *loader)
{
    const unsigned char *const said = modules_that_say(loader);
    for (size_t i = 0; i < loader->catalogue->requirement_count; i++) {
        check_about(loader, &loader->requirements[i]);
        need_about(loader, &loader->requirements[i], said);
    }
    for (size_t i = 0; i < loader->catalogue->check_count; i++)
        loader->checks[i].about = hn_join_texts(loader->arena, &loader->checks[i],
                                                offsetof(struct hn_requirement, about));
    for (size_t i = 0; i < loader->catalogue->capability_count; i++)
        check_means(loader, &loader->capabilities[i]);
    for (size_t i = 0; i < loader->catalogue->check_count; i++)
        loader->checks[i].owed = owed_by(loader, &loader->checks[i]);
}
