/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kill matrix as a page: faults x checks, checks x variants, and first of all the holes. Called
 * by cmd_prove.c.
 */
#ifndef HN_PROVE_PAGE_H
#define HN_PROVE_PAGE_H

#include "prove_text.h"

int hn_prove_page(const struct hn_proof *proof, const struct hn_prove_summary *summary,
                  const char *path, struct hn_error *error);

#endif
