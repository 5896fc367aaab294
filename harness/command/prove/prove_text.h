/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Result of a proof, and its text for people. Called by cmd_prove.c.
 */
#ifndef HN_PROVE_TEXT_H
#define HN_PROVE_TEXT_H

#include <stdio.h>

#include "proof.h"

#define HN_PROVE_MODULES 256 /* room for the modules of a contract */

struct hn_prove_summary {
    size_t faults, killed;
    size_t awaiting;                 /* violate only what belongs to modules without checks */
    size_t unclaimed;                /* of the others, those that no check claims */
    size_t variants, over_specified; /* checks that some variant fails */
    size_t pairs, pairs_run;         /* of selected checks and faults */
    size_t undecided;                /* checks on a legal device, and runs that were cut off */
    int exit_status;
};
void hn_prove_count(const struct hn_proof *proof, struct hn_prove_summary *summary);
void hn_prove_print(const struct hn_proof *proof, const struct hn_prove_summary *summary,
                    FILE *out);

/* Questions about a check in a case, of one type. */
typedef int (*hn_prove_filter)(const struct hn_proof *proof, const struct hn_case *one,
                               size_t check);
int hn_prove_is_collateral(const struct hn_proof *proof, const struct hn_case *one, size_t check);

#endif
