/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See adapter.h. An adapter is a plugin whose target factory has created one target.
 */
#include "adapter.h"
#include "plugin_loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hn_adapter {
    struct hn_plugin *plugin;
    const struct assay_target_factory *factory;
    void *target;
    char reported[256];
};

static void keep_report(void *context, int32_t status, const char *text)
{
    struct hn_adapter *const adapter = context;
    (void)status;
    snprintf(adapter->reported, sizeof adapter->reported, "%s", text);
}

/* Removes the path from the loader's error message, because our sentence already has it. */
static const char *without_path(const char *reason, const char *path)
{
    const size_t length = strlen(path);
    return strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0
               ? reason + length + 2
               : reason;
}

int32_t hn_adapter_open(const char *path, const struct assay_target_options *options,
                        struct hn_adapter **adapter, char *text, size_t size)
{
    char reason[512] = "out of memory";
    int32_t status = ASSAY_ENOMEM;
    *adapter = NULL;
    struct hn_adapter *const made = calloc(1, sizeof *made);
    if (!made)
        goto fail;
    const struct hn_plugin_terms terms = {.report = keep_report, .context = made};
    status = hn_plugin_load(path, &terms, &made->plugin, reason, sizeof reason);
    if (status != ASSAY_OK)
        goto fail;
    status = ASSAY_EINVALID;
    made->factory = hn_plugin_target(made->plugin, reason, sizeof reason);
    if (!made->factory)
        goto fail;
    status = made->factory->create(options, &made->target);
    if (status != ASSAY_OK) {
        snprintf(reason, sizeof reason, "create refused with status %d: %s", (int)status,
                 made->reported[0] != '\0' ? made->reported : "it gives no reason");
        goto fail;
    }
    *adapter = made;
    return ASSAY_OK;
fail:
    snprintf(text, size, "the adapter %s cannot be loaded: %s", path, without_path(reason, path));
    if (made)
        hn_plugin_unload(made->plugin);
    free(made);
    return status;
}

const void *hn_adapter_extension(struct hn_adapter *adapter, const char *id, void **target)
{
    if (!adapter)
        return NULL;
    *target = adapter->target;
    return adapter->factory->get_extension(adapter->target, id);
}

int32_t hn_adapter_claim(struct hn_adapter *adapter, const char *capability, const char **reason)
{
    return adapter ? adapter->factory->claim(adapter->target, capability, reason) : ASSAY_UNKNOWN;
}
