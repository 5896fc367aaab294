/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the checks that failed in an earlier run, for the selection failed:RUN and assay run
 * --last-failed.
 */
#ifndef HN_FAILED_CHECKS_H
#define HN_FAILED_CHECKS_H

#include "catalogue.h"
#include "hn_error.h"

/* Sets failed[i] for each check of the catalogue: 1 if it failed or was undecided in the run in
 * this folder, else 0. Checks that are not in the catalogue are ignored. A run without failed
 * checks is an error, like any empty selection. */
int hn_failed_checks(const struct hn_catalogue *catalogue, const char *run, unsigned char *failed,
                     struct hn_error *error);

#endif
