/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a case of a proof: the switch that is on, the checks to run, and memory for their verdicts.
 * Called by the plan, by the list of pairs and by the proof of refusals.
 */
#include <string.h>

#include "proof.h"
#include "verdict.h"

/* Returns 0 if out of memory. A folder has the name of its variant, a valid file name. */
static int make_case(const struct hn_proof *proof, struct hn_case *one, enum hn_case_kind kind,
                     const char *name)
{
    const size_t checks = proof->catalogue->check_count;
    *one = (struct hn_case){.kind = kind, .name = name, .folder = HN_PROOF_PAIRS};
    if (kind == HN_CASE_CLEAN)
        one->folder = name;
    else if (kind == HN_CASE_VARIANT)
        one->folder = hn_arena_text(proof->arena, "variants/%s", name);
    one->wanted = hn_arena_array(proof->arena, checks + 1, 1);
    one->verdicts = hn_arena_array(proof->arena, checks + 1, 1);
    one->subjects = hn_arena_array(proof->arena, checks + 1, sizeof *one->subjects);
    if (!one->folder || !one->wanted || !one->verdicts || !one->subjects)
        return 0;
    memset(one->verdicts, HN_NOTRUN, checks + 1);
    return 1;
}

struct hn_case *hn_proof_add_case(struct hn_proof *proof, enum hn_case_kind kind, const char *name)
{
    struct hn_case *one = &proof->cases[proof->count];
    if (!make_case(proof, one, kind, name))
        return NULL;
    proof->count++;
    return one;
}

struct hn_case *hn_proof_case_of(struct hn_proof *proof, enum hn_case_kind kind, const char *name)
{
    for (size_t i = proof->count; i > 1; i--)
        if (strcmp(proof->cases[i - 1].name, name) == 0)
            return &proof->cases[i - 1];
    const char *kept = hn_arena_text(proof->arena, "%s", name);
    return kept ? hn_proof_add_case(proof, kind, kept) : NULL;
}
