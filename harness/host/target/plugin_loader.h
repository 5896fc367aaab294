/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads one plugin through assay_plugin_entry: negotiates, verifies every required pointer,
 * calls init. Used in the job process for suites and adapters. All functions are [main].
 *
 * If a plugin is rejected, `text` has one sentence, without the path. The loader prints nothing. If
 * a plugin crashes, the process dies.
 */
#ifndef HN_PLUGIN_LOADER_H
#define HN_PLUGIN_LOADER_H

#include "assay/check.h"
#include "assay/plugin.h"
#include "assay/target.h"

struct hn_plugin;

/* Arguments for loading a plugin. Each may be NULL. */
struct hn_plugin_terms {
    const struct assay_build *build; /* build of the bridge in this process */
    /* Receives text that a plugin reports. */
    void (*report)(void *context, int32_t status, const char *text);
    void *context;
};

/* Returns 0 and *plugin. Otherwise *plugin is NULL, `text` has the sentence, and the result is
 * ASSAY_EINVALID (broken plugin), ASSAY_EUNSUPPORTED (incompatible with this host) or ASSAY_EFAILED
 * (init failed). */
int hn_plugin_load(const char *path, const struct hn_plugin_terms *terms, struct hn_plugin **plugin,
                   char *text, size_t size);
/* Calls deinit, then frees. The shared object stays mapped. NULL is a no-op. */
void hn_plugin_unload(struct hn_plugin *plugin);

/* Returns the verified factory, or NULL and a sentence if it is missing or broken. */
const struct assay_check_factory *hn_plugin_checks(struct hn_plugin *plugin, char *text,
                                                   size_t size);
const struct assay_target_factory *hn_plugin_target(struct hn_plugin *plugin, char *text,
                                                    size_t size);

#endif
