/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Result of a proof, and its text. Called by cmd_prove.c.
 */
#ifndef HN_PROVE_TEXT_H
#define HN_PROVE_TEXT_H

#include <stdio.h>

#include "proof.h"

#define HN_PROVE_MODULES 256 /* limit of the number of modules of a contract */

struct hn_prove_summary {
    size_t faults, killed;
    size_t awaiting;                 /* faults that only modules without checks can claim */
    size_t unclaimed;                /* other faults that no check claims */
    size_t variants, over_specified; /* over_specified: checks that fail on a variant */
    size_t pairs, pairs_run;         /* pairs of a selected check and a selected fault */
    size_t undecided;                /* undecided checks on a legal device, and incomplete runs */
    int exit_status;
};
void hn_prove_count(const struct hn_proof *proof, struct hn_prove_summary *summary);
void hn_prove_print(const struct hn_proof *proof, const struct hn_prove_summary *summary,
                    FILE *out);

/* Tests one property of a check in a case. */
typedef int (*hn_prove_filter)(const struct hn_proof *proof, const struct hn_case *one,
                               size_t check);
int hn_prove_is_collateral(const struct hn_proof *proof, const struct hn_case *one, size_t check);

#endif
