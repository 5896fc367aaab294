/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Getters of the YAML tree: types, ranges, choices, unknown keys. This file must not depend on
 * libyaml.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "texts.h"
#include "yaml_tree.h"

static const char *kind_name(const struct hn_yaml *node)
{
    static const char *const names[] = {"text", "a list", "a map"};
    if (node->kind == HN_YAML_SCALAR && !node->text[0] && !node->quoted)
        return "nothing";
    if (node->kind == HN_YAML_SCALAR && !node->text[0])
        return "empty text";
    return names[node->kind];
}

int hn_yaml_complain(const struct hn_yaml *node, struct hn_findings *findings, const char *format,
                     ...)
{
    struct hn_error error;
    va_list arguments;
    va_start(arguments, format);
    hn_error_vat(&error, HN_EINPUT, node->file, node->line, node->column, format, arguments);
    va_end(arguments);
    return hn_findings_add_error(findings, &error);
}

static int complain_kind(const struct hn_yaml *node, const char *wanted,
                         struct hn_findings *findings)
{
    return hn_yaml_complain(node, findings, "%s%s%s must be %s, not %s", node->key ? "\"" : "",
                            node->key ? node->key : "this", node->key ? "\"" : "", wanted,
                            kind_name(node));
}

const struct hn_yaml *hn_yaml_find(const struct hn_yaml *map, const char *key)
{
    if (map->kind != HN_YAML_MAP)
        return NULL;
    for (const struct hn_yaml *item = map->first; item; item = item->next)
        if (strcmp(item->key, key) == 0)
            return item;
    return NULL;
}

int hn_yaml_need(const struct hn_yaml *map, const char *key, const struct hn_yaml **value,
                 struct hn_findings *findings)
{
    const struct hn_yaml *found = hn_yaml_find(map, key);
    if (!found)
        return hn_yaml_complain(map, findings, "\"%s\" is missing here", key);
    *value = found;
    return HN_OK;
}

int hn_yaml_is_map(const struct hn_yaml *node, struct hn_findings *findings)
{
    return node->kind == HN_YAML_MAP ? HN_OK : complain_kind(node, "a map", findings);
}

int hn_yaml_is_list(const struct hn_yaml *node, struct hn_findings *findings)
{
    return node->kind == HN_YAML_LIST ? HN_OK : complain_kind(node, "a list", findings);
}

int hn_yaml_as_text(const struct hn_yaml *node, const char **text, struct hn_findings *findings)
{
    if (node->kind != HN_YAML_SCALAR || !node->text[0])
        return complain_kind(node, "text", findings);
    *text = node->text;
    return HN_OK;
}

int hn_yaml_need_text(const struct hn_yaml *map, const char *key, const char **text,
                      struct hn_findings *findings)
{
    const struct hn_yaml *node = NULL;
    return hn_yaml_need(map, key, &node, findings) || hn_yaml_as_text(node, text, findings)
               ? HN_EINPUT
               : HN_OK;
}

int hn_yaml_as_integer(const struct hn_yaml *node, int64_t lowest, int64_t highest, int64_t *value,
                       struct hn_findings *findings)
{
    char *end;
    if (node->kind != HN_YAML_SCALAR || node->quoted)
        return complain_kind(node, "a whole number", findings);
    errno = 0;
    const long long number = strtoll(node->text, &end, 10);
    if (errno || end == node->text || *end)
        return hn_yaml_complain(node, findings, "\"%.60s\" is not a whole number", node->text);
    if (number < lowest || number > highest)
        return hn_yaml_complain(node, findings, "%lld is out of range; from %lld to %lld", number,
                                (long long)lowest, (long long)highest);
    *value = number;
    return HN_OK;
}

int hn_yaml_as_boolean(const struct hn_yaml *node, int *value, struct hn_findings *findings)
{
    static const char *const words[] = {"no", "yes", "false", "true"};
    if (node->kind != HN_YAML_SCALAR || node->quoted)
        return complain_kind(node, "yes or no", findings);
    for (int i = 0; i < 4; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            *value = i & 1;
            return HN_OK;
        }
    }
    return hn_yaml_complain(node, findings, "\"%.60s\" is neither yes nor no", node->text);
}

int hn_yaml_as_choice(const struct hn_yaml *node, const char *const *names, size_t count,
                      size_t *index, struct hn_findings *findings)
{
    char all[256] = "";
    const char *text = "";
    struct hn_nearest search;
    if (hn_yaml_as_text(node, &text, findings))
        return HN_EINPUT;
    for (size_t i = 0, used = 0; i < count; i++) {
        if (strcmp(names[i], text) == 0) {
            *index = i;
            return HN_OK;
        }
        if (used < sizeof all)
            used +=
                (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    }
    hn_nearest_begin(&search, text);
    HN_NEAREST_OFFER_ALL(&search, names, count);
    return hn_yaml_complain(node, findings, "\"%.60s\" is none of: %s%s", text, all,
                            hn_nearest_hint(&search));
}

int hn_yaml_text(const struct hn_yaml *map, const char *key, const char **text,
                 struct hn_findings *findings)
{
    const struct hn_yaml *node = hn_yaml_find(map, key);
    return node ? hn_yaml_as_text(node, text, findings) : HN_OK;
}

int hn_yaml_integer(const struct hn_yaml *map, const char *key, int64_t lowest, int64_t highest,
                    int64_t *value, struct hn_findings *findings)
{
    const struct hn_yaml *node = hn_yaml_find(map, key);
    return node ? hn_yaml_as_integer(node, lowest, highest, value, findings) : HN_OK;
}

int hn_yaml_choice(const struct hn_yaml *map, const char *key, const char *const *names,
                   size_t count, size_t *index, struct hn_findings *findings)
{
    const struct hn_yaml *node = hn_yaml_find(map, key);
    return node ? hn_yaml_as_choice(node, names, count, index, findings) : HN_OK;
}

int hn_yaml_only_keys(const struct hn_yaml *map, const char *const *keys, size_t count,
                      struct hn_findings *findings)
{
    const struct hn_texts known = {keys, count};
    struct hn_nearest search;
    int status = hn_yaml_is_map(map, findings);
    for (const struct hn_yaml *item = status ? NULL : map->first; item; item = item->next) {
        if (hn_texts_contain(&known, item->key))
            continue;
        hn_nearest_begin(&search, item->key);
        HN_NEAREST_OFFER_ALL(&search, keys, count);
        status = hn_findings_add(findings, item->file, item->key_line, item->key_column,
                                 "unknown key \"%.60s\"%s", item->key, hn_nearest_hint(&search));
    }
    return status;
}
