/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens the vendor's adapter after the target is loaded, and queries it for extensions and claims.
 * Used by both hosts and by the probe. [main]
 */
#ifndef HN_ADAPTER_H
#define HN_ADAPTER_H

#include "assay/target.h"

struct hn_adapter;

/* Returns 0, or a negative ASSAY_E with one sentence that names the file, and *adapter NULL. The
 * adapter stays loaded until the process ends. */
ASSAY_EXPORT int32_t hn_adapter_open(const char *path, const struct assay_target_options *options,
                                     struct hn_adapter **adapter, char *text, size_t size);
/* Returns the table, or NULL if the adapter (which may be NULL) does not offer it. *target is the
 * argument for the functions of the table. */
ASSAY_EXPORT const void *hn_adapter_extension(struct hn_adapter *adapter, const char *id,
                                              void **target);
/* Returns ASSAY_YES, ASSAY_NO or ASSAY_UNKNOWN; *reason may be unchanged. */
ASSAY_EXPORT int32_t hn_adapter_claim(struct hn_adapter *adapter, const char *capability,
                                      const char **reason);

#endif
