/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Expectations of PyTorch's own tests, matched with the causes of their failures: whole clusters,
 * since 1,243 tests that lack one operator are one entry. Used by the gate and by assay causes.
 */
#ifndef CI_CLUSTER_EXPECTATIONS_H
#define CI_CLUSTER_EXPECTATIONS_H

#include "cause_list.h"
#include "expectations.h"

/* The first entry that names the cause and all of its tests and has not expired on `day`
 * (YYYY-MM-DD); NULL: the cause is not expected. */
const struct ci_cluster_expectation *ci_expected_cluster(const struct ci_expectations *list,
                                                         const struct rp_cause *cause,
                                                         const char *day);
/* Why an entry is not in order, as a sentence without its end; NULL when it is. An entry for tests
 * that were not run is in order. */
const char *ci_cluster_complaint(const struct ci_cluster_expectation *entry,
                                 const struct rp_cause_list *causes, const char *day);
/* The same two entries but for reason and issue? */
int ci_same_cluster_entry(const struct ci_cluster_expectation *one,
                          const struct ci_cluster_expectation *other);

#endif
