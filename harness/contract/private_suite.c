/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A private suite of a vendor: a folder with contract.yaml and checks like those in suites/,
 * which becomes one more module. The settings that conformance.yaml has for other modules are in
 * its contract.yaml under `module:`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue_internal.h"
#include "file.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

void hn_module_path(const struct hn_loader *loader, const struct hn_module *module,
                    const char *name, char *path)
{
    const int whole = module->place[0] == '/';
    snprintf(path, HN_PATH_SIZE, "%s%s%s/%s", whole ? "" : loader->folder, whole ? "" : "/",
             module->place, name);
}

/* Requirements and checks of a private suite must not have the names of another module's. */
static void refuse_names_of_others(struct hn_loader *loader, const struct hn_yaml *map,
                                   const struct hn_module *module)
{
    for (size_t i = 0; i < loader->catalogue->module_count; i++) {
        const struct hn_module *other = &loader->modules[i];
        if (strcmp(other->name, module->name) == 0)
            hn_yaml_complain(map, loader->findings,
                             "there is a module %.40s already: choose another "
                             "name",
                             module->name);
        if (*module->prefix && strcmp(other->prefix, module->prefix) == 0)
            hn_yaml_complain(map, loader->findings, "prefix %.20s belongs to module %.40s",
                             module->prefix, other->name);
    }
}

static void read_module(struct hn_loader *loader, const struct hn_yaml *map, const char *place)
{
    static const char *const keys[] = {"name", "prefix", "title", "anchors"};
    struct hn_module *module = &loader->modules[loader->catalogue->module_count];
    *module = (struct hn_module){.name = "", .prefix = "", .title = "", .place = place};
    hn_yaml_only_keys(map, keys, COUNT(keys), loader->findings);
    if (map->kind != HN_YAML_MAP)
        return;
    hn_yaml_need_text(map, "name", &module->name, loader->findings);
    hn_yaml_need_text(map, "prefix", &module->prefix, loader->findings);
    hn_yaml_text(map, "title", &module->title, loader->findings);
    hn_read_texts(loader, hn_yaml_find(map, "anchors"), &module->anchors);
    refuse_names_of_others(loader, map, module);
    loader->catalogue->module_count++;
}

void hn_load_private_suite(struct hn_loader *loader)
{
    char path[HN_PATH_SIZE], *whole = realpath(loader->suite, NULL);
    const struct hn_yaml *root = NULL, *map = NULL;
    struct hn_error error;
    if (!whole) {
        hn_error_at(&error, HN_ENOTFOUND, loader->suite, 0, 0,
                    "is not there: give the folder of a suite, which holds contract.yaml");
        hn_findings_add_error(loader->findings, &error);
        return;
    }
    const char *place = hn_arena_copy(loader->arena, whole, strlen(whole));
    free(whole);
    if (!place || hn_path_join(path, sizeof path, place, "contract.yaml", &error))
        return;
    if (hn_yaml_read(path, &loader->documents[loader->document_count], &root, loader->findings))
        return;
    loader->document_count++;
    if (hn_yaml_need(root, "module", &map, loader->findings) == HN_OK)
        read_module(loader, map, place);
}
