/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The third proof shows that no check fails because a backend refuses a means. The clean run of
 * this proof records the means of each check. Then each check runs with each of its means refused.
 * Called by proof_run.c between the two steps, and by cmd_prove.c.
 */
#ifndef HN_PROOF_REFUSALS_H
#define HN_PROOF_REFUSALS_H

#include "proof.h"

/* Name of the case that refuses no means, and delays the first use of each means. */
#define HN_PROOF_LATE "late"
#define HN_PROOF_LATE_MS "300"
/* A program uses about a hundred means, so the delays add up to half a minute. */
#define HN_PROOF_LATE_EXTRA_MS 60000

/* Called after the clean run: adds a case for each recorded means, or for a sample of the pairs
 * of means and check if the options say so. Adds no case for a means that every legal backend
 * has. */
int hn_proof_add_refusals(struct hn_proof *proof, struct hn_error *error);

struct hn_refusal_count {
    size_t tried;       /* pairs of a means and a check that reached it */
    size_t not_reached; /* pairs whose check ended normally without reaching the means */
    size_t defects;
};
/* Judges every pair. Calls `defect` (may be NULL) for each wrong pair: the check failed because of
 * the refused means, named another means, or passed although the subject of its clause was
 * refused. */
typedef void (*hn_refusal_defect)(void *context, const struct hn_check *check, const char *means,
                                  unsigned char verdict);
int hn_proof_count_refusals(const struct hn_proof *proof, hn_refusal_defect defect, void *context,
                            struct hn_refusal_count *count, struct hn_error *error);

#endif
