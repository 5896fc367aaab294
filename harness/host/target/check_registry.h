/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Opens suites of native checks as plugins, and runs a check by id. Used by both hosts, so that
 * native checks run through the same code in both. [main]
 */
#ifndef HN_CHECK_REGISTRY_H
#define HN_CHECK_REGISTRY_H

#include "assay/check.h"

struct hn_checks;

/* Returns NULL only if out of memory. The registry lives until the process ends. */
ASSAY_EXPORT struct hn_checks *hn_checks_create(void);
/* Opens one suite. On failure returns a negative ASSAY_E and one sentence that names the file. */
ASSAY_EXPORT int32_t hn_checks_open(struct hn_checks *checks, const char *path, char *text,
                                    size_t size);
/* Runs check->id. Returns ASSAY_EUNSUPPORTED, and runs nothing, if no suite has this check. */
ASSAY_EXPORT int32_t hn_checks_run(const struct hn_checks *checks, struct assay_check *check);

#endif
