/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See client_file.h.
 */
#include "client_file.h"

#include <stdio.h>
#include <string.h>

#include "data.h"
#include "file.h"
#include "yaml_tree.h"

#define MOST_MEMBERS 16
#define LONGEST_TEST 86400

enum kind { TEXT, TEXTS, SETTINGS, LISTS, FLAG, SECONDS, WHOSE, OBJECT, OBJECTS };

struct member {
    const char *key; /* NULL terminates a table */
    enum kind kind;
    int is_needed;
    const struct member *members; /* members of an object, or of each object of a list */
};

/* clang-format off */
#define MUST(name, what) {.key = (name), .kind = (what), .is_needed = 1}
#define MAY(name, what) {.key = (name), .kind = (what)}
#define INNER(name, what, table, needed) {.key = (name), .kind = (what), .is_needed = (needed), .members = (table)}
#define END_OF_TABLE {.key = NULL}

static const struct member source[] = {MUST("git", TEXT), MUST("revision", TEXT), END_OF_TABLE};
static const struct member device[] = {
    MAY("environment", SETTINGS), MAY("options", TEXTS), MAY("plugin", TEXT), MAY("lists", LISTS),
    MAY("default", FLAG), END_OF_TABLE};
static const struct member healing[] = {
    MUST("plugin", TEXT), MUST("message", TEXT), MUST("why", TEXT), END_OF_TABLE};
static const struct member known[] = {
    MUST("whose", WHOSE), MAY("test", TEXT), MAY("message", TEXT), MUST("why", TEXT), END_OF_TABLE};
static const struct member members[] = {
    MUST("name", TEXT), MAY("text", TEXT), MAY("distribution", TEXT), MUST("version", TEXT),
    INNER("source", OBJECT, source, 0), MAY("requires", TEXTS), MUST("tests", TEXTS),
    MAY("options", TEXTS), MAY("environment", SETTINGS), MAY("pythonpath", TEXTS),
    INNER("device", OBJECT, device, 1), MAY("timeout", SECONDS), INNER("heal", OBJECTS, healing, 0),
    INNER("known", OBJECTS, known, 0), END_OF_TABLE};
/* clang-format on */

struct reader {
    struct hn_json_writer *writer;
    struct hn_findings *findings;
};

static void take_object(const struct reader *reader, const struct hn_yaml *map, const char *key,
                        const struct member *table);

static void take_text(const struct reader *reader, const struct hn_yaml *node, const char *key)
{
    const char *text = "";
    hn_yaml_as_text(node, &text, reader->findings);
    hn_write_text(reader->writer, key, text);
}

static void take_texts(const struct reader *reader, const struct hn_yaml *list, const char *key)
{
    hn_write_array(reader->writer, key);
    if (hn_yaml_is_list(list, reader->findings) == HN_OK)
        for (const struct hn_yaml *node = list->first; node; node = node->next)
            take_text(reader, node, NULL);
    hn_write_array_end(reader->writer);
}

/* Reads a map of texts, or of lists of texts. */
static void take_map(const struct reader *reader, const struct hn_yaml *map, int of_lists)
{
    hn_write_object(reader->writer, map->key);
    if (hn_yaml_is_map(map, reader->findings) == HN_OK)
        for (const struct hn_yaml *node = map->first; node; node = node->next)
            of_lists ? take_texts(reader, node, node->key) : take_text(reader, node, node->key);
    hn_write_object_end(reader->writer);
}

static void take_objects(const struct reader *reader, const struct hn_yaml *list,
                         const struct member *table)
{
    hn_write_array(reader->writer, list->key);
    if (hn_yaml_is_list(list, reader->findings) == HN_OK)
        for (const struct hn_yaml *node = list->first; node; node = node->next)
            take_object(reader, node, NULL, table);
    hn_write_array_end(reader->writer);
}

static void take_whose(const struct reader *reader, const struct hn_yaml *node)
{
    static const char *const names[] = {"cuda", "library", "tests", "core"};
    size_t which = 0;
    hn_yaml_as_choice(node, names, sizeof names / sizeof *names, &which, reader->findings);
    hn_write_text(reader->writer, node->key, names[which]);
}

static void take_flag(const struct reader *reader, const struct hn_yaml *node)
{
    int flag = 0;
    hn_yaml_as_boolean(node, &flag, reader->findings);
    hn_write_boolean(reader->writer, node->key, flag);
}

static void take_seconds(const struct reader *reader, const struct hn_yaml *node)
{
    int64_t seconds = 0;
    hn_yaml_as_integer(node, 1, LONGEST_TEST, &seconds, reader->findings);
    hn_write_integer(reader->writer, node->key, seconds);
}

static void take_member(const struct reader *reader, const struct hn_yaml *node,
                        const struct member *member)
{
    switch (member->kind) {
    case TEXT:
        take_text(reader, node, node->key);
        return;
    case TEXTS:
        take_texts(reader, node, node->key);
        return;
    case SETTINGS:
    case LISTS:
        take_map(reader, node, member->kind == LISTS);
        return;
    case FLAG:
        take_flag(reader, node);
        return;
    case SECONDS:
        take_seconds(reader, node);
        return;
    case WHOSE:
        take_whose(reader, node);
        return;
    case OBJECT:
        take_object(reader, node, node->key, member->members);
        return;
    case OBJECTS:
        take_objects(reader, node, member->members);
        return;
    }
}

static void take_object(const struct reader *reader, const struct hn_yaml *map, const char *key,
                        const struct member *table)
{
    const char *keys[MOST_MEMBERS];
    size_t count = 0;
    hn_write_object(reader->writer, key);
    for (const struct member *member = table; member->key; member++)
        keys[count++] = member->key;
    if (hn_yaml_only_keys(map, keys, count, reader->findings) == HN_OK || map->kind == HN_YAML_MAP)
        for (const struct member *member = table; member->key; member++) {
            const struct hn_yaml *node = hn_yaml_find(map, member->key);
            if (node)
                take_member(reader, node, member);
            else if (member->is_needed)
                hn_yaml_need(map, member->key, &node, reader->findings);
        }
    hn_write_object_end(reader->writer);
}

int hn_client_write(const char *path, struct hn_json_writer *writer, struct hn_findings *findings)
{
    const size_t before = findings->total;
    struct hn_yaml_document *document = NULL;
    const struct hn_yaml *root = NULL;
    const struct reader reader = {writer, findings};
    if (hn_yaml_read(path, &document, &root, findings) == HN_OK)
        take_object(&reader, root, "client", members);
    hn_yaml_destroy(document);
    return findings->total > before ? HN_EINPUT : HN_OK;
}

int hn_client_path(char *path, const char *client, struct hn_error *error)
{
    char folder[HN_PATH_SIZE], name[HN_PATH_SIZE];
    if (strchr(client, '/') || strstr(client, ".yaml"))
        return hn_path_join(path, HN_PATH_SIZE, "", client, error);
    int status = hn_data_folder(folder, error);
    if (status == HN_OK && snprintf(name, sizeof name, "ci/clients/%s.yaml", client) < 0)
        status = HN_ELIMIT;
    if (status == HN_OK)
        status = hn_path_join(path, HN_PATH_SIZE, folder, name, error);
    if (status != HN_OK || hn_path_exists(path))
        return status;
    return hn_error_set(error, HN_ENOTFOUND,
                        "there is no client \"%.100s\" in %s/ci/clients. For a file of your own "
                        "give its path, such as ./%.100s.yaml",
                        client, folder, client);
}
