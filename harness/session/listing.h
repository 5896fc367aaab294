/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that nobody wrote down: a module's list_checks.py, run by the target's interpreter in a
 * process of its own, lists them into the folder of the run. What it is asked and what it answers
 * is in suites/README.md. Called by session.c, before the contract is read.
 */
#ifndef HN_LISTING_H
#define HN_LISTING_H

#include <stddef.h>
#include <stdio.h>

#include "hn_error.h"
#include "input.h"
#include "interpreter.h"

#define HN_LISTED_FILE "listed.json" /* in the folder of a run */

struct hn_listing {
    const char *module; /* of conformance.yaml */
    struct hn_texts arguments;
    const char *room[2]; /* for them, for who makes it */
};

/* Lists into `path`. HN_EINPUT with the program's own sentence when it refuses its arguments. */
int hn_listing_make(const struct hn_listing *listing, const struct hn_run_target *target,
                    const struct hn_places *places, FILE *out, const char *path,
                    struct hn_error *error);

#endif
