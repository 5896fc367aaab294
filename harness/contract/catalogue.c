/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads the contract in steps: read, find the code, link, look for cycles, hash. Called by every
 * sub-command; each step is a file of its own.
 */
#include "catalogue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "catalogue_internal.h"
#include "file.h"
#include "hash.h"

#define MEMORY ((size_t)256 << 20)

/* The hash includes words and structure, but not spaces, comments and disputes. Disputes do not
 * change the requirements. */
static uint64_t hash_tree(uint64_t hash, const struct hn_yaml *node)
{
    if (node->key && strcmp(node->key, "disputed") == 0)
        return hash;
    hash = hn_hash_bytes(hash, &node->kind, sizeof node->kind);
    if (node->key)
        hash = hn_hash_text(hash, node->key);
    if (node->kind == HN_YAML_SCALAR)
        return hn_hash_text(hash, node->text);
    for (const struct hn_yaml *item = node->first; item; item = item->next)
        hash = hash_tree(hash, item);
    return hn_hash_bytes(hash, ")", 1);
}

void hn_digest_catalogue(struct hn_loader *loader, const struct hn_yaml *conformance)
{
    uint64_t hash = hash_tree(HN_HASH_START, conformance);
    for (size_t i = 0; i < loader->catalogue->module_count; i++)
        if (loader->contracts[i])
            hash = hash_tree(hash, loader->contracts[i]);
    snprintf(loader->catalogue->digest, sizeof loader->catalogue->digest, "%016" PRIx64, hash);
}

static void run_steps(struct hn_loader *loader, const char *faults_file)
{
    char path[HN_PATH_SIZE];
    const struct hn_yaml *root = NULL;
    struct hn_error error;
    if (hn_path_join(path, sizeof path, loader->folder, "conformance.yaml", &error)) {
        hn_findings_add_error(loader->findings, &error);
        return;
    }
    if (hn_yaml_read(path, &loader->documents[0], &root, loader->findings))
        return;
    loader->document_count = 1;
    hn_load_conformance(loader, root);
    if (!loader->modules)
        return;
    if (loader->suite)
        hn_load_private_suite(loader);
    hn_open_listed(loader);
    hn_load_contracts(loader);
    hn_read_listed(loader);
    hn_load_code(loader);
    hn_load_faults(loader, faults_file);
    hn_link_catalogue(loader);
    if (loader->findings->total == 0)
        hn_link_order(loader);
    hn_digest_catalogue(loader, root);
}

/* Transfers the loaded data to the caller's catalogue. */
static void keep(struct hn_catalogue_owner *owner, const struct hn_loader *loader)
{
    memcpy(owner->documents, loader->documents, sizeof owner->documents);
}

int hn_catalogue_load(const char *folder, const char *faults_file, const char *suite,
                      const char *listed, struct hn_catalogue **catalogue,
                      struct hn_findings *findings)
{
    const size_t before = findings->total;
    struct hn_arena *arena;
    struct hn_catalogue_owner *owner = hn_arena_owner(sizeof *owner, MEMORY, &arena);
    *catalogue = NULL;
    if (!owner)
        return hn_findings_add(findings, "", 0, 0, "out of memory");
    owner->arena = arena;
    struct hn_loader loader = {.arena = arena,
                               .findings = findings,
                               .catalogue = &owner->catalogue,
                               .suite = suite,
                               .listed_file = listed,
                               .folder = hn_arena_copy(arena, folder, strlen(folder))};
    owner->catalogue.folder = loader.folder;
    run_steps(&loader, faults_file);
    keep(owner, &loader);
    if (findings->total == before) {
        *catalogue = &owner->catalogue;
        return HN_OK;
    }
    hn_findings_sort(findings);
    hn_catalogue_destroy(&owner->catalogue);
    return HN_EINPUT;
}

void hn_catalogue_destroy(struct hn_catalogue *catalogue)
{
    struct hn_catalogue_owner *owner = (struct hn_catalogue_owner *)catalogue;
    if (!owner)
        return;
    for (size_t i = 0; i < sizeof owner->documents / sizeof *owner->documents; i++)
        hn_yaml_destroy(owner->documents[i]);
    hn_arena_destroy(owner->arena);
}
