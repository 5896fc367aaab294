/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The native checks of this process: opens suites as plugins and runs a check by id. Used by both
 * hosts, so that a native check runs through the same entry in each. [main]
 */
#ifndef HN_CHECK_REGISTRY_H
#define HN_CHECK_REGISTRY_H

#include "assay/check.h"

struct hn_checks;

/* NULL only when out of memory. */
ASSAY_EXPORT struct hn_checks *hn_checks_create(void);
/* Unloads the suites. NULL is accepted. */
ASSAY_EXPORT void hn_checks_destroy(struct hn_checks *checks);
/* Opens one suite. Else a negative ASSAY_E and one sentence that names the file. */
ASSAY_EXPORT int32_t hn_checks_open(struct hn_checks *checks, const char *path, char *text,
                                    size_t size);
/* Number of checks of all suites. */
ASSAY_EXPORT uint32_t hn_checks_count(const struct hn_checks *checks);
/* Id of one of them; NULL past the end. */
ASSAY_EXPORT const char *hn_checks_id(const struct hn_checks *checks, uint32_t index);
/* Runs check->id. ASSAY_EUNSUPPORTED if no suite has it; nothing was run then. */
ASSAY_EXPORT int32_t hn_checks_run(const struct hn_checks *checks, struct assay_check *check);

#endif
