/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See plugin_loader.h. The steps of a load are open, entry, verify, init. This file must not depend
 * on what plugins do.
 */
#include "plugin_loader.h"
#include "shared_library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hn_plugin {
    const struct assay_plugin *entry;
    struct assay_plugin_host host;
    struct hn_plugin_terms terms;
    char reported[256]; /* the last text that the plugin reported */
};

struct required {
    const char *name;
    size_t offset;
};
#define REQUIRED(type, field)                                                                      \
    {                                                                                              \
        #field, offsetof(struct type, field)                                                       \
    }

static const struct required plugin_needs[] = {
    REQUIRED(assay_plugin, name),        REQUIRED(assay_plugin, version),
    REQUIRED(assay_plugin, init),        REQUIRED(assay_plugin, deinit),
    REQUIRED(assay_plugin, get_factory), {NULL, 0},
};
static const struct required checks_needs[] = {
    REQUIRED(assay_check_factory, rows),
    {NULL, 0},
};
static const struct required target_needs[] = {
    REQUIRED(assay_target_factory, create),
    REQUIRED(assay_target_factory, destroy),
    REQUIRED(assay_target_factory, get_extension),
    REQUIRED(assay_target_factory, claim),
    {NULL, 0},
};

/* Returns ASSAY_OK if every required pointer is inside the struct and not NULL. */
static int verify(const void *table, const char *type, const struct required *needs, char *text,
                  size_t size)
{
    uint32_t struct_size;
    memcpy(&struct_size, table, sizeof struct_size);
    for (; needs->name; needs++) {
        const void *pointer;
        if (struct_size < needs->offset + sizeof pointer) {
            snprintf(text, size, "%s says struct_size %u, too short for its field %s", type,
                     (unsigned)struct_size, needs->name);
            return ASSAY_EINVALID;
        }
        memcpy(&pointer, (const char *)table + needs->offset, sizeof pointer);
        if (!pointer) {
            snprintf(text, size, "%s has no %s: the pointer is NULL", type, needs->name);
            return ASSAY_EINVALID;
        }
    }
    return ASSAY_OK;
}

static int compare_builds(const struct assay_build *ours, const struct assay_build *theirs,
                          char *text, size_t size)
{
    if (!ours || !theirs)
        return ASSAY_OK;
    if (strcmp(ours->torch, theirs->torch) == 0 && ours->cxx11_abi == theirs->cxx11_abi &&
        ours->pointer_size == theirs->pointer_size) {
        return ASSAY_OK;
    }
    snprintf(text, size,
             "built for torch %s (C++11 ABI %u, %u-byte pointers), "
             "this process has torch %s (C++11 ABI %u, %u-byte pointers)",
             theirs->torch, (unsigned)theirs->cxx11_abi, (unsigned)theirs->pointer_size,
             ours->torch, (unsigned)ours->cxx11_abi, (unsigned)ours->pointer_size);
    return ASSAY_EUNSUPPORTED;
}

static void keep_report(void *context, int32_t status, const char *text)
{
    struct hn_plugin *const plugin = context;
    snprintf(plugin->reported, sizeof plugin->reported, "%s", text ? text : "");
    if (plugin->terms.report)
        plugin->terms.report(plugin->terms.context, status, plugin->reported);
}

static int ask_entry(struct hn_plugin *plugin, assay_plugin_entry_fn entry, char *text, size_t size)
{
    char refusal[256] = "";
    const struct assay_plugin_offer offer = {
        .struct_size = sizeof offer,
        .major = ASSAY_ABI_MAJOR,
        .minor_lowest = 0,
        .minor_highest = ASSAY_ABI_MINOR,
        .build = plugin->terms.build,
        .refusal = refusal,
        .refusal_size = sizeof refusal,
    };
    plugin->entry = entry(&offer);
    if (plugin->entry)
        return ASSAY_OK;
    refusal[sizeof refusal - 1] = '\0';
    snprintf(text, size, "refuses ABI %u.%u to %u.%u: %s", ASSAY_ABI_MAJOR, 0u, ASSAY_ABI_MAJOR,
             ASSAY_ABI_MINOR, refusal[0] != '\0' ? refusal : "it gives no reason");
    return ASSAY_EUNSUPPORTED;
}

static int accept_entry(const struct hn_plugin *plugin, char *text, size_t size)
{
    const struct assay_plugin *const entry = plugin->entry;
    const int status = verify(entry, "struct assay_plugin", plugin_needs, text, size);
    if (status != ASSAY_OK)
        return status;
    if (entry->minor > ASSAY_ABI_MINOR) {
        snprintf(text, size, "chose ABI minor %u, the offer was 0 to %u", (unsigned)entry->minor,
                 ASSAY_ABI_MINOR);
        return ASSAY_EINVALID;
    }
    return compare_builds(plugin->terms.build, entry->build, text, size);
}

static int start(struct hn_plugin *plugin, char *text, size_t size)
{
    plugin->host = (struct assay_plugin_host){
        .struct_size = sizeof plugin->host, .context = plugin, .report = keep_report};
    const int32_t status = plugin->entry->init(&plugin->host);
    if (status == ASSAY_OK)
        return ASSAY_OK;
    snprintf(text, size, "init refused with status %d: %s", (int)status,
             plugin->reported[0] != '\0' ? plugin->reported : "it gives no reason");
    return ASSAY_EFAILED;
}

int hn_plugin_load(const char *path, const struct hn_plugin_terms *terms, struct hn_plugin **plugin,
                   char *text, size_t size)
{
    *plugin = NULL;
    struct hn_plugin *const made = calloc(1, sizeof *made);
    if (!made) {
        snprintf(text, size, "out of memory");
        return ASSAY_ENOMEM;
    }
    if (terms)
        made->terms = *terms;
    int status = ASSAY_EINVALID;
    assay_plugin_entry_fn entry;
    void *const library = hn_library_open(path, 0, text, size);
    if (!library)
        goto fail;
    void *const symbol = hn_library_symbol(library, "assay_plugin_entry");
    if (!symbol) {
        snprintf(text, size, "does not export assay_plugin_entry, so it is not an assay plugin");
        goto fail;
    }
    memcpy(&entry, &symbol, sizeof entry);
    status = ask_entry(made, entry, text, size);
    if (status == ASSAY_OK)
        status = accept_entry(made, text, size);
    if (status == ASSAY_OK)
        status = start(made, text, size);
    if (status != ASSAY_OK)
        goto fail;
    *plugin = made;
    return ASSAY_OK;
fail:
    free(made);
    return status;
}

void hn_plugin_unload(struct hn_plugin *plugin)
{
    if (plugin) {
        plugin->entry->deinit();
        free(plugin);
    }
}

static const void *factory(struct hn_plugin *plugin, const char *id, const char *type,
                           const struct required *needs, char *text, size_t size)
{
    const void *const table = plugin->entry->get_factory(id);
    if (!table) {
        snprintf(text, size, "offers no %s", id);
        return NULL;
    }
    return verify(table, type, needs, text, size) == ASSAY_OK ? table : NULL;
}

const struct assay_check_factory *hn_plugin_checks(struct hn_plugin *plugin, char *text,
                                                   size_t size)
{
    const struct assay_check_factory *const checks = factory(
        plugin, ASSAY_CHECK_FACTORY, "struct assay_check_factory", checks_needs, text, size);
    for (uint32_t i = 0; checks && i < checks->count; i++) {
        if (!checks->rows[i].id || !checks->rows[i].run) {
            snprintf(text, size, "row %u of its %u checks has no %s", (unsigned)i,
                     (unsigned)checks->count, !checks->rows[i].id ? "id" : "function");
            return NULL;
        }
    }
    return checks;
}

const struct assay_target_factory *hn_plugin_target(struct hn_plugin *plugin, char *text,
                                                    size_t size)
{
    return factory(plugin, ASSAY_TARGET_FACTORY, "struct assay_target_factory", target_needs, text,
                   size);
}
