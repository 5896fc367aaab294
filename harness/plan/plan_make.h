/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a contract, a selection and claims to a plan. Called by `assay run`, prove and repro.
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
    const struct hn_catalogue *catalogue; /* lives as long as the plan */
    const char *select;                   /* see select.h; NULL: "all" */
    const struct hn_plan_claim
        *claims; /* the first for a capability counts: profile before adapter */
    size_t claim_count;
    uint32_t shard,
        shards; /* I of N, from 1; 0 of 0 is 1 of 1. By id: a check stays in its shard */
    const char *
        torch; /* version of the target's; checks of what it does not promise are left out; NULL, "": none */
    int alone; /* without what the selected checks build on, and without probes and refusals */
    const char
        *failed_first; /* a run: what failed there, and what that stands on, goes first; NULL */
    const char *arm;   /* a switch of the target that is on in every task; NULL */
    uint64_t seed;     /* 0: order of the contract; else shuffled within what builds_on allows */
};

/* HN_EUSAGE for a wrong selection or shard, HN_EINPUT for an unknown capability or capabilities
 * whose probes need each other. On failure *plan is NULL. */
int hn_plan_make(const struct hn_plan_request *request, struct hn_plan **plan,
                 struct hn_error *error);

#endif
