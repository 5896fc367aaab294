/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves out the checks whose clauses do not apply to the target's torch, as a run does. A fault
 * that only such checks claim is not tested on this torch. Called when the target is known; see
 * proof.h.
 */
#include "proof.h"
#include "torch_range.h"

static int is_claimed(const struct hn_proof *proof, const struct hn_case *one)
{
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        if (one->wanted[i] && hn_proof_claims(proof, one, i))
            return 1;
    return 0;
}

void hn_proof_keep_to_torch(struct hn_proof *proof, const char *torch)
{
    for (size_t check = 0; check < proof->catalogue->check_count; check++) {
        if (hn_torch_range_has(proof->catalogue->checks[check].torch, torch))
            continue;
        proof->selected[check] = 0;
        for (size_t i = 0; i < proof->count; i++) {
            proof->cases[i].other_torch |= hn_proof_claims(proof, &proof->cases[i], check);
            proof->cases[i].wanted[check] = 0;
        }
    }
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].other_torch && !is_claimed(proof, &proof->cases[i]))
            proof->cases[i].unclaimed = 1;
}
