/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a plan from a contract, a selection and claims. Called by `assay run`, prove and repro.
 */
#ifndef HN_PLAN_MAKE_H
#define HN_PLAN_MAKE_H

#include "catalogue.h"
#include "plan.h"

struct hn_plan_claim {
    const char *capability;
    enum hn_claim claim;
    const char *source; /* "profile", "adapter" */
};

struct hn_plan_request {
    const struct hn_catalogue *catalogue; /* must outlive the plan */
    const char *select;                   /* see select.h; NULL: "all" */
    const struct hn_plan_claim
        /* the first claim for a capability counts: the profile's comes before the adapter's */
        *claims;
    size_t claim_count;
    uint32_t shard, shards; /* I of N, from 1; 0 of 0 means 1 of 1 */
    const char *
        /* the target's version of torch: leaves out checks for other versions; NULL or "": none */
        torch;
    /* do not add the checks that the selected checks build on, nor probes and refusal checks */
    int alone;
    const char
        /* run whose failed checks, and the checks they build on, come first; NULL: none */
        *failed_first;
    const char *arm; /* a switch of the target that is on in every task; or NULL */
    /* 0: the order of the contract; else a random order that respects the dependencies */
    uint64_t seed;
};

/* Returns HN_EUSAGE for an invalid selection or shard, HN_EINPUT for an unknown capability or
 * for capabilities whose probes need each other. On failure *plan is NULL. */
int hn_plan_make(const struct hn_plan_request *request, struct hn_plan **plan,
                 struct hn_error *error);

#endif
