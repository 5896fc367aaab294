/* SPDX-License-Identifier: BSD-3-Clause
 *
 * suites/homes.tsv: files of PyTorch that no clause is anchored in, though clauses are about them:
 * another home of the same file, a header that is part of one, and what no backend meets. Called by
 * assay run --changed. [any] after reading.
 */
#ifndef HN_HOMES_H
#define HN_HOMES_H

#include "hn_error.h"

struct hn_home {
    const char *file;  /* as an anchor has it, or a pattern */
    const char *about; /* places and ids of clauses, semicolons between; "-": no backend meets it */
    const char *why;
};

struct hn_homes;

/* Of the folder that holds suites/. A contract without the file has no rows. On failure *homes is
 * NULL. */
int hn_homes_read(const char *folder, struct hn_homes **homes, struct hn_error *error);
/* The row about a file in any spelling, FILE:NAME as well; NULL if there is none. */
const struct hn_home *hn_homes_find(const struct hn_homes *homes, const char *file);
void hn_homes_destroy(struct hn_homes *homes);

#endif
