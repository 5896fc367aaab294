/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the file of listed checks that a program wrote for a run: `module:`, `code:` (the test file
 * of the module that runs all of them) and `checks:` as in a contract.yaml. The ids may have more
 * dots and capital letters, because they contain names of other projects. Part of the second step
 * of loading the catalogue.
 */
#include <string.h>

#include "catalogue_internal.h"

static const struct hn_module *listed_module(struct hn_loader *loader, const struct hn_yaml *root)
{
    const char *text = NULL;
    if (hn_yaml_need_text(root, "module", &text, loader->findings))
        return NULL;
    for (size_t i = 0; i < loader->catalogue->module_count; i++)
        if (strcmp(loader->modules[i].name, text) == 0)
            return &loader->modules[i];
    hn_yaml_complain(hn_yaml_find(root, "module"), loader->findings, "there is no module \"%.60s\"",
                     text);
    return NULL;
}

void hn_open_listed(struct hn_loader *loader)
{
    static const char *const keys[] = {"module", "code", "checks"};
    const struct hn_yaml *root = NULL, *list = NULL;
    const char *code = NULL;
    struct hn_yaml_document **document = &loader->documents[loader->document_count];
    if (!loader->listed_file ||
        hn_yaml_read(loader->listed_file, document, &root, loader->findings))
        return;
    loader->document_count++;
    const struct hn_module *module = listed_module(loader, root);
    if (!module || hn_yaml_only_keys(root, keys, 3, loader->findings) ||
        hn_yaml_need_text(root, "code", &code, loader->findings) ||
        hn_yaml_need(root, "checks", &list, loader->findings) ||
        hn_yaml_is_list(list, loader->findings))
        return;
    loader->listed = list;
    loader->listed_module = module;
    loader->listed_code = hn_arena_text(loader->arena, "%s/%s", module->place, code);
}

void hn_read_listed(struct hn_loader *loader)
{
    if (!loader->listed_code || !loader->checks)
        return;
    loader->reads_listed = 1;
    for (const struct hn_yaml *map = loader->listed->first; map; map = map->next) {
        struct hn_check *check = &loader->checks[loader->catalogue->check_count++];
        hn_read_check(loader, map, loader->listed_module, check);
        check->file = loader->listed_code;
        check->line = 1;
        check->kind = HN_PYTHON;
    }
}
