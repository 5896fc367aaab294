/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of findings: readers of files that people write report all errors of a file at once.
 */
#ifndef HN_FINDINGS_H
#define HN_FINDINGS_H

#include <stddef.h>

#include "hn_error.h"

struct hn_findings {
    struct hn_error *items;
    size_t count; /* number of stored findings, at most HN_FINDINGS_LIMIT */
    size_t total; /* number of all findings, stored or not */
};

#define HN_FINDINGS_LIMIT 500

/* An all-zero struct is also valid and empty. */
void hn_findings_init(struct hn_findings *findings);
void hn_findings_finish(struct hn_findings *findings);

/* Returns HN_EINPUT, so that a caller can write `return hn_findings_add(...)`. */
int hn_findings_add(struct hn_findings *findings, const char *file, int line, int column,
                    const char *format, ...) HN_PRINTF(5, 6);
int hn_findings_add_error(struct hn_findings *findings, const struct hn_error *error);
/* Sorts by file, line and column; the sort is stable. */
void hn_findings_sort(struct hn_findings *findings);

#endif
