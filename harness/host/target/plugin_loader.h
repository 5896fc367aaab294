/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads one plugin through assay_plugin_entry: negotiates, verifies every required pointer, calls
 * init. Used in the job process for suites and adapters. All [main].
 *
 * A refusal is one sentence in `text`, without the path; nothing here judges or prints. A plugin
 * that crashes takes the process with it.
 */
#ifndef HN_PLUGIN_LOADER_H
#define HN_PLUGIN_LOADER_H

#include "assay/check.h"
#include "assay/plugin.h"
#include "assay/target.h"

struct hn_plugin;

/* Contributions of the host to a load. Everything may be NULL. */
struct hn_plugin_terms {
    const struct assay_build *build; /* of the bridge in this process */
    /* Text a plugin reports. */
    void (*report)(void *context, int32_t status, const char *text);
    void *context;
};

/* 0 and *plugin, else ASSAY_EINVALID (broken plugin), ASSAY_EUNSUPPORTED (one side refused) or
 * ASSAY_EFAILED (init refused); then *plugin is NULL and `text` has the sentence. */
int hn_plugin_load(const char *path, const struct hn_plugin_terms *terms, struct hn_plugin **plugin,
                   char *text, size_t size);
/* deinit, then frees. The shared object stays mapped. NULL is accepted. */
void hn_plugin_unload(struct hn_plugin *plugin);

/* The factory, verified; NULL and a sentence if the plugin has none or it is broken. */
const struct assay_check_factory *hn_plugin_checks(struct hn_plugin *plugin, char *text,
                                                   size_t size);
const struct assay_target_factory *hn_plugin_target(struct hn_plugin *plugin, char *text,
                                                    size_t size);

#endif
