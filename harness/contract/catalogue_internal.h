/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of loading, and the data they share: read conformance.yaml, read each contract.yaml, find
 * the code, resolve names. Each step is one file; no code outside of this folder may use them.
 */
#ifndef HN_CATALOGUE_INTERNAL_H
#define HN_CATALOGUE_INTERNAL_H

#include "arena.h"
#include "catalogue.h"
#include "yaml_tree.h"

#define HN_MODULES_MAX 64

/* A check found in the code of a suite. */
struct hn_code {
    const char *id, *file;
    int line;
    enum hn_kind kind;
};

struct hn_loader {
    struct hn_arena *arena;
    struct hn_findings *findings;
    struct hn_catalogue *catalogue; /* the catalogue that is being built */
    const char *folder;
    const char *suite;            /* folder of a private suite, or NULL */
    const char *listed_file;      /* file of listed checks, or NULL */
    const struct hn_yaml *listed; /* the listed checks */
    const struct hn_module *listed_module;
    const char *listed_code; /* the file that runs them; NULL: there are no listed checks */
    int reads_listed;        /* while listed checks are read: their ids allow more characters */
    struct hn_yaml_document *documents[HN_MODULES_MAX + 3];
    const struct hn_yaml
        *contracts[HN_MODULES_MAX]; /* root per module, NULL: unreadable or missing */
    size_t document_count;
    const struct hn_yaml *conformance;
    struct hn_module *modules;
    struct hn_contract_capability *capabilities;
    struct hn_requirement *requirements;
    struct hn_check *checks;
    struct hn_code *code;
    size_t code_count, code_capacity;
};

/* The owner of a catalogue; the catalogue is its first member. */
struct hn_catalogue_owner {
    struct hn_catalogue catalogue;
    struct hn_arena *arena;
    struct hn_yaml_document *documents[HN_MODULES_MAX + 3];
};

/* The steps in their order. A step adds findings and continues; only HN_ENOMEM stops the
 * loading. */
void hn_load_conformance(struct hn_loader *loader, const struct hn_yaml *root);
void hn_load_private_suite(struct hn_loader *loader);
void hn_open_listed(struct hn_loader *loader);
void hn_load_contracts(struct hn_loader *loader);
void hn_read_listed(struct hn_loader *loader);
void hn_load_code(struct hn_loader *loader);
void hn_load_faults(struct hn_loader *loader, const char *file);
void hn_link_catalogue(struct hn_loader *loader);
void hn_link_about(struct hn_loader *loader); /* subjects of clauses */
void hn_link_dispute(struct hn_loader *loader, const struct hn_requirement *requirement);
void hn_link_order(struct hn_loader *loader); /* detects cycles */
void hn_digest_catalogue(struct hn_loader *loader, const struct hn_yaml *conformance);

/* Reads `disputed:` of a requirement, without resolving names. */
void hn_read_dispute(struct hn_loader *loader, const struct hn_yaml *map, struct hn_dispute *out);
/* Reads an entry of `checks:`, without resolving names. */
void hn_read_check(struct hn_loader *loader, const struct hn_yaml *map,
                   const struct hn_module *module, struct hn_check *out);

/* "<folder of the module>/<name>". HN_PATH_SIZE bytes. */
void hn_module_path(const struct hn_loader *loader, const struct hn_module *module,
                    const char *name, char *path);
/* One scalar or a list of scalars; a missing node gives none. */
int hn_read_texts(struct hn_loader *loader, const struct hn_yaml *node, struct hn_texts *texts);
/* Pointers to items of `size` bytes that begin with their names, sorted by name. */
const void **hn_sort_rows(struct hn_arena *arena, const void *rows, size_t count, size_t size);
/* Joins the lists of one kind, from all requirements that a check covers, without duplicates.
 * `member`: the offset of this list in struct hn_requirement. */
struct hn_texts hn_join_texts(struct hn_arena *arena, const struct hn_check *check, size_t member);

#endif
