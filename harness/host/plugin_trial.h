/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads a plugin in a forked child and tells in one sentence how that went, also when the plugin
 * crashes, hangs, exits, throws or forks. Used before an adapter is trusted, and by the tests of
 * the loader. Must be called before this process has started a thread.
 */
#ifndef HN_PLUGIN_TRIAL_H
#define HN_PLUGIN_TRIAL_H

#include <stddef.h>
#include <stdint.h>

/* 0: loads, answers for `factory` (NULL: any) and unloads. Else a negative ASSAY_E and the
 * sentence. */
int hn_plugin_try(const char *path, const char *factory, int64_t deadline_ms, char *text,
                  size_t size);

#endif
