/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares expectations about PyTorch's own tests with the causes of failures. One entry covers all
 * tests that fail for one cause, for example 1,243 tests that need one missing operator. Used by
 * the gate and by assay causes.
 */
#ifndef CI_CLUSTER_EXPECTATIONS_H
#define CI_CLUSTER_EXPECTATIONS_H

#include "cause_list.h"
#include "expectations.h"

/* Returns the first entry that matches the cause and all of its tests, and is still valid on `day`
 * (YYYY-MM-DD). NULL means that the cause is not expected. */
const struct ci_cluster_expectation *ci_expected_cluster(const struct ci_expectations *list,
                                                         const struct rp_cause *cause,
                                                         const char *day);
/* Returns the reason why an entry is invalid, as a sentence without its end, or NULL if the entry
 * is valid. An entry for tests that were not run is valid. */
const char *ci_cluster_complaint(const struct ci_cluster_expectation *entry,
                                 const struct rp_cause_list *causes, const char *day);
/* Returns 1 if the entries are equal except for reason and issue. */
int ci_same_cluster_entry(const struct ci_cluster_expectation *one,
                          const struct ci_cluster_expectation *other);

#endif
