/* SPDX-License-Identifier: BSD-3-Clause
 *
 * YAML files that people write, as a small strict tree in which every node has its line and
 * column. The reader supports plain maps, lists and scalars only: no anchors, aliases, tags, merge
 * keys or second documents. Tabs and duplicate keys are errors. All errors are added to a list of
 * findings, so that one reading reports all of them.
 */
#ifndef HN_YAML_TREE_H
#define HN_YAML_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "findings.h"

enum hn_yaml_kind { HN_YAML_SCALAR, HN_YAML_LIST, HN_YAML_MAP };

struct hn_yaml {
    enum hn_yaml_kind kind;
    int line, column; /* from 1 */
    const char *file; /* as given to the reader */
    const char *text; /* scalar: its text, NUL-terminated, valid UTF-8 */
    int quoted;       /* scalar: it was quoted, so "yes" is text and not a boolean */
    const char *key;  /* value in a map: its key; else NULL */
    int key_line, key_column;
    size_t count;                 /* list and map */
    struct hn_yaml *first, *next; /* list and map: items in order */
};

struct hn_yaml_document; /* owns the tree and its texts */

/* `name` is for messages and is copied. `*root` is valid until the document is destroyed.
 * Returns HN_OK, or HN_EINPUT with at least one finding. A text over 16 MiB, deeper than 16
 * levels or with a map of more than 1000 keys is a finding. */
int hn_yaml_parse(const char *text, size_t length, const char *name,
                  struct hn_yaml_document **document, const struct hn_yaml **root,
                  struct hn_findings *findings);
int hn_yaml_read(const char *path, struct hn_yaml_document **document, const struct hn_yaml **root,
                 struct hn_findings *findings);
void hn_yaml_destroy(struct hn_yaml_document *document); /* NULL is a no-op */

/* ---- getters. Each error is one finding and returns HN_EINPUT; the output is then unchanged.
 * ---- */

const struct hn_yaml *hn_yaml_find(const struct hn_yaml *map, const char *key); /* or NULL */
/* A required member. */
int hn_yaml_need(const struct hn_yaml *map, const char *key, const struct hn_yaml **value,
                 struct hn_findings *findings);
/* The text of a required member; it must not be empty. */
int hn_yaml_need_text(const struct hn_yaml *map, const char *key, const char **text,
                      struct hn_findings *findings);

int hn_yaml_is_map(const struct hn_yaml *node, struct hn_findings *findings);
int hn_yaml_is_list(const struct hn_yaml *node, struct hn_findings *findings);
/* The text must not be empty. */
int hn_yaml_as_text(const struct hn_yaml *node, const char **text, struct hn_findings *findings);
int hn_yaml_as_integer(const struct hn_yaml *node, int64_t lowest, int64_t highest, int64_t *value,
                       struct hn_findings *findings);
/* Accepts yes, no, true and false, unquoted. */
int hn_yaml_as_boolean(const struct hn_yaml *node, int *value, struct hn_findings *findings);
/* The value must be one of the names; `*index` is its index. The finding suggests a similar
 * name. */
int hn_yaml_as_choice(const struct hn_yaml *node, const char *const *names, size_t count,
                      size_t *index, struct hn_findings *findings);

/* Optional members: if missing, the output is unchanged and the result is HN_OK. */
int hn_yaml_text(const struct hn_yaml *map, const char *key, const char **text,
                 struct hn_findings *findings);
int hn_yaml_integer(const struct hn_yaml *map, const char *key, int64_t lowest, int64_t highest,
                    int64_t *value, struct hn_findings *findings);
int hn_yaml_choice(const struct hn_yaml *map, const char *key, const char *const *names,
                   size_t count, size_t *index, struct hn_findings *findings);

/* Every key that is not in the list is a finding, which suggests the most similar key. */
int hn_yaml_only_keys(const struct hn_yaml *map, const char *const *keys, size_t count,
                      struct hn_findings *findings);

/* Adds a finding at the place of the node. Returns HN_EINPUT. */
int hn_yaml_complain(const struct hn_yaml *node, struct hn_findings *findings, const char *format,
                     ...) HN_PRINTF(3, 4);

#endif
