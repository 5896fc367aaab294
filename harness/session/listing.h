/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the list of listed checks: the target's interpreter runs a module's list_checks.py, which
 * writes the list into the folder of the run. suites/README.md describes its input and output.
 * Called by session.c before the contract is read.
 */
#ifndef HN_LISTING_H
#define HN_LISTING_H

#include <stddef.h>
#include <stdio.h>

#include "hn_error.h"
#include "input.h"
#include "interpreter.h"

#define HN_LISTED_FILE "listed.json" /* file name in the folder of a run */

struct hn_listing {
    const char *module; /* module of conformance.yaml */
    struct hn_texts arguments;
    const char *room[2]; /* memory of the caller for the settings */
};

/* Writes the list to `path`. Returns HN_EINPUT with the program's own sentence if its arguments
 * are invalid. */
int hn_listing_make(const struct hn_listing *listing, const struct hn_run_target *target,
                    const struct hn_places *places, FILE *out, const char *path,
                    struct hn_error *error);

#endif
