/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of problems: readers of files that people write report everything that is wrong at once.
 */
#ifndef HN_FINDINGS_H
#define HN_FINDINGS_H

#include <stddef.h>

#include "hn_error.h"

struct hn_findings {
    struct hn_error *items;
    size_t count; /* stored; at most HN_FINDINGS_LIMIT */
    size_t total; /* found, stored or not */
};

#define HN_FINDINGS_LIMIT 500

/* An all-zero struct is valid and empty too. */
void hn_findings_init(struct hn_findings *findings);
void hn_findings_finish(struct hn_findings *findings);

/* Returns HN_EINPUT, so that a caller can write `return hn_findings_add(...)`. */
int hn_findings_add(struct hn_findings *findings, const char *file, int line, int column,
                    const char *format, ...) HN_PRINTF(5, 6);
int hn_findings_add_error(struct hn_findings *findings, const struct hn_error *error);
/* By file, line, column; equal places keep their order. */
void hn_findings_sort(struct hn_findings *findings);

#endif
