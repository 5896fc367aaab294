/* SPDX-License-Identifier: BSD-3-Clause
 *
 * YAML files that people write, as a small strict tree in which every node knows its line and
 * column. Plain maps, lists and scalars only: no anchors, aliases, tags, merge keys or second
 * documents; tabs and duplicate keys are errors. Everything that is wrong goes into a list of
 * findings, so that one reading reports all of it.
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
    const char *text; /* scalar: its text; NUL-terminated, valid UTF-8 */
    int quoted;       /* scalar: so "yes" in quotes is text, not a boolean */
    const char *key;  /* value in a map: its key, else NULL */
    int key_line, key_column;
    size_t count;                 /* list and map */
    struct hn_yaml *first, *next; /* list and map: items in their order */
};

struct hn_yaml_document; /* owns the tree and its texts */

/* `name` is for messages and is copied. `*root` is valid until the document is destroyed. HN_EINPUT
 * with at least one finding, or HN_OK; text over 16 MiB or deeper than 16 levels is a finding. */
int hn_yaml_parse(const char *text, size_t length, const char *name,
                  struct hn_yaml_document **document, const struct hn_yaml **root,
                  struct hn_findings *findings);
int hn_yaml_read(const char *path, struct hn_yaml_document **document, const struct hn_yaml **root,
                 struct hn_findings *findings);
void hn_yaml_destroy(struct hn_yaml_document *document); /* takes NULL */

/* ---- questions. Each wrong answer is one finding, and HN_EINPUT; the output is untouched. ---- */

const struct hn_yaml *hn_yaml_find(const struct hn_yaml *map, const char *key); /* or NULL */
/* The member, which must be there. */
int hn_yaml_need(const struct hn_yaml *map, const char *key, const struct hn_yaml **value,
                 struct hn_findings *findings);
/* Its text, not empty. */
int hn_yaml_need_text(const struct hn_yaml *map, const char *key, const char **text,
                      struct hn_findings *findings);

int hn_yaml_is_map(const struct hn_yaml *node, struct hn_findings *findings);
int hn_yaml_is_list(const struct hn_yaml *node, struct hn_findings *findings);
/* Not empty. */
int hn_yaml_as_text(const struct hn_yaml *node, const char **text, struct hn_findings *findings);
int hn_yaml_as_integer(const struct hn_yaml *node, int64_t lowest, int64_t highest, int64_t *value,
                       struct hn_findings *findings);
/* yes, no, true, false; unquoted. */
int hn_yaml_as_boolean(const struct hn_yaml *node, int *value, struct hn_findings *findings);
/* One of the names; `*index` says which. A near miss is suggested. */
int hn_yaml_as_choice(const struct hn_yaml *node, const char *const *names, size_t count,
                      size_t *index, struct hn_findings *findings);

/* Optional members: absent leaves the output untouched and is HN_OK. */
int hn_yaml_text(const struct hn_yaml *map, const char *key, const char **text,
                 struct hn_findings *findings);
int hn_yaml_integer(const struct hn_yaml *map, const char *key, int64_t lowest, int64_t highest,
                    int64_t *value, struct hn_findings *findings);
int hn_yaml_choice(const struct hn_yaml *map, const char *key, const char *const *names,
                   size_t count, size_t *index, struct hn_findings *findings);

/* Every key that is not in the list is a finding, with the nearest right name. */
int hn_yaml_only_keys(const struct hn_yaml *map, const char *const *keys, size_t count,
                      struct hn_findings *findings);

/* A finding at the node's place. Returns HN_EINPUT. */
int hn_yaml_complain(const struct hn_yaml *node, struct hn_findings *findings, const char *format,
                     ...) HN_PRINTF(3, 4);

#endif
