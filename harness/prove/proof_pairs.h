/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the pairs of check and switch of a proof into the input of a run. Called by proof_run.c
 * after the clean run.
 */
#ifndef HN_PROOF_PAIRS_H
#define HN_PROOF_PAIRS_H

#include "proof.h"
#include "session.h"

struct hn_proof_pairs {
    struct hn_pairs run;
    unsigned char *wanted; /* by check: 1 if it is in a pair */
};

/* Makes the pairs whose switch acts while the target is loaded, or all other pairs, by the
 * description of the target in `clean`. A check that was skipped on the clean device is in no pair,
 * because no switch can change that. Everything lives in the proof's arena. */
int hn_proof_pairs_make(struct hn_proof *proof, const struct hn_session *clean, int at_load,
                        struct hn_proof_pairs *pairs, struct hn_error *error);

#endif
