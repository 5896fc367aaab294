/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The third proof: no check fails because a backend refuses what the check merely uses. The clean run
 * of such a proof writes down the means of each check; then each check is run with each of them refused.
 * Called by proof_run.c between the two, and by cmd_prove.c.
 */
#ifndef HN_PROOF_REFUSALS_H
#define HN_PROOF_REFUSALS_H

#include "proof.h"

/* The name of the case in which nothing is refused, and the first use of everything is late. */
#define HN_PROOF_LATE "late"
#define HN_PROOF_LATE_MS "300"

/* After the clean run: a case for each means that it wrote down, a sampled part of the pairs of means
 * and check if the options say so. What no legal backend may lack is left out. */
int hn_proof_add_refusals(struct hn_proof *proof, struct hn_error *error);

struct hn_refusal_count {
    size_t tried;       /* pairs of a means and a check that met it */
    size_t not_reached; /* pairs in which the check came to its end without it */
    size_t defects;
};
/* Judges every pair; `defect` (may be NULL) hears of each that must not be: a check that failed over
 * a means, named another one, or passed although what its clause is about was refused. */
typedef void (*hn_refusal_defect)(void *context, const struct hn_check *check, const char *means,
                                  unsigned char verdict);
int hn_proof_count_refusals(const struct hn_proof *proof, hn_refusal_defect defect, void *context,
                            struct hn_refusal_count *count, struct hn_error *error);

#endif
