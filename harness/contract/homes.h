/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads suites/homes.tsv. This file lists two kinds of files of PyTorch. Files of the first kind
 * have clauses although no anchor names the file, such as another location of a file or a part
 * of a named header. Files of the second kind affect no backend. Called by assay run --changed.
 * [any] after reading.
 */
#ifndef HN_HOMES_H
#define HN_HOMES_H

#include "hn_error.h"

struct hn_home {
    const char *file; /* as in an anchor, or a pattern */
    /* places and ids of clauses, separated by semicolons; "-": the file affects no backend */
    const char *about;
    const char *why;
};

struct hn_homes;

/* Reads the file in the folder that contains suites/. If the file is missing, there are no rows.
 * On failure *homes is NULL. */
int hn_homes_read(const char *folder, struct hn_homes **homes, struct hn_error *error);
/* Returns the row for a file in any spelling, also FILE:NAME; NULL if no row is about the file. */
const struct hn_home *hn_homes_find(const struct hn_homes *homes, const char *file);
void hn_homes_destroy(struct hn_homes *homes);

#endif
