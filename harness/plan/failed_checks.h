/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks that failed in a run that was made before: for the selection failed:RUN and assay run
 * --last-failed.
 */
#ifndef HN_FAILED_CHECKS_H
#define HN_FAILED_CHECKS_H

#include "catalogue.h"
#include "hn_error.h"

/* Sets failed[i] to 1 or 0 for each check of the catalogue: 1 for what failed in the run in this
 * folder, or could not be decided there. Checks that the catalogue does not know count for nothing;
 * a run in which none failed is an error, as any selection of nothing is. */
int hn_failed_checks(const struct hn_catalogue *catalogue, const char *run, unsigned char *failed,
                     struct hn_error *error);

#endif
