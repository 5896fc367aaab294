/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See check_registry.h. This file uses plugins and must not depend on jobs, evidence or verdicts.
 */
#include "check_registry.h"
#include "bridge.h"
#include "plugin_loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODULES 64

struct hn_checks {
    const struct assay_check_factory *factories[MODULES];
    uint32_t count;
};

struct hn_checks *hn_checks_create(void)
{
    return calloc(1, sizeof(struct hn_checks));
}

int32_t hn_checks_open(struct hn_checks *checks, const char *path, char *text, size_t size)
{
    const struct hn_plugin_terms terms = {.build = bridge_build()};
    struct hn_plugin *plugin = NULL;
    char reason[512];
    if (checks->count == MODULES) {
        snprintf(text, size, "more than %d suites", MODULES);
        return ASSAY_EINVALID;
    }
    int32_t status = hn_plugin_load(path, &terms, &plugin, reason, sizeof reason);
    if (status != ASSAY_OK)
        goto fail;
    const struct assay_check_factory *const factory =
        hn_plugin_checks(plugin, reason, sizeof reason);
    if (!factory) {
        status = ASSAY_EINVALID;
        goto fail;
    }
    checks->factories[checks->count++] = factory;
    return ASSAY_OK;
fail:
    hn_plugin_unload(plugin);
    snprintf(text, size, "suite %s: %s", path, reason);
    return status;
}

static const struct assay_check_row *row_at(const struct hn_checks *checks, uint32_t index)
{
    for (uint32_t i = 0; i < checks->count; i++) {
        if (index < checks->factories[i]->count)
            return &checks->factories[i]->rows[index];
        index -= checks->factories[i]->count;
    }
    return NULL;
}

int32_t hn_checks_run(const struct hn_checks *checks, struct assay_check *check)
{
    const struct assay_check_row *row;
    for (uint32_t i = 0; (row = row_at(checks, i)) != NULL; i++) {
        if (strcmp(row->id, check->id) == 0) {
            row->run(check);
            return ASSAY_OK;
        }
    }
    return ASSAY_EUNSUPPORTED;
}
