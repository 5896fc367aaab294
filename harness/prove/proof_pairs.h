/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pairs of check and switch of a proof as what a run takes. Called by proof_run.c when the clean
 * device is known.
 */
#ifndef HN_PROOF_PAIRS_H
#define HN_PROOF_PAIRS_H

#include "proof.h"
#include "session.h"

struct hn_proof_pairs {
    struct hn_pairs run;
    unsigned char *wanted; /* by check: it is in one of the pairs */
};

/* Those whose switch acts while the target is loaded, or the others, as `clean` knows the target. A
 * check that the clean device skipped is in none: under every switch it gets that verdict. Everything
 * lives in the proof's arena. */
int hn_proof_pairs_make(struct hn_proof *proof, const struct hn_session *clean, int at_load,
                        struct hn_proof_pairs *pairs, struct hn_error *error);

#endif
