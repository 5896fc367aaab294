/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evaluates the verdicts of a proof: kills, claims, holes. Pure functions; see proof.h.
 */
#include <string.h>

#include "proof.h"
#include "verdict.h"

void hn_proof_count_finished(struct hn_proof *proof)
{
    for (size_t i = 0; i < proof->count; i++) {
        struct hn_case *one = &proof->cases[i];
        if (one->kind != HN_CASE_FAULT && one->kind != HN_CASE_REFUSAL &&
            one->kind != HN_CASE_LISTED)
            continue;
        one->finished = 1;
        for (size_t k = 0; k < proof->catalogue->check_count; k++)
            one->finished &= !one->wanted[k] || one->verdicts[k] != HN_NOTRUN;
    }
}

static int fails(const struct hn_case *one, size_t check)
{
    return hn_verdict_table[one->verdicts[check]].fails;
}

size_t hn_proof_pairs(const struct hn_proof *proof, size_t *wanted)
{
    size_t all = 0;
    *wanted = 0;
    for (size_t i = 0; i < proof->count; i++)
        for (size_t k = 0; k < proof->catalogue->check_count; k++) {
            if (proof->cases[i].kind != HN_CASE_FAULT || !proof->selected[k])
                continue;
            all++;
            *wanted += proof->cases[i].wanted[k];
        }
    return all;
}

int hn_proof_failed(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    /* A failure that also occurs on the clean device proves nothing. */
    return fails(one, check) && (one->kind == HN_CASE_CLEAN || !fails(&proof->cases[0], check));
}

/* Returns 1 if `violates`, such as "DEV-004,DEV-010", contains the id. */
static int violates(const struct hn_fault *fault, const char *id)
{
    const size_t length = strlen(id);
    for (const char *at = fault->violates; (at = strstr(at, id)); at += length)
        if ((at == fault->violates || at[-1] == ',' || at[-1] == ' ') &&
            (at[length] == '\0' || at[length] == ',' || at[length] == ' '))
            return 1;
    return 0;
}

int hn_proof_kills(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    const struct hn_check *row = &proof->catalogue->checks[check];
    if (one->kind != HN_CASE_FAULT || !hn_proof_failed(proof, one, check))
        return 0;
    for (size_t i = 0; i < row->covers_count; i++)
        if (violates(one->fault, row->covers[i]->id))
            return 1;
    return 0;
}

int hn_proof_claims(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    return one->fault ? hn_texts_contain(&proof->catalogue->checks[check].faults, one->fault->name)
                      : 0;
}

int hn_proof_is_killed(const struct hn_proof *proof, const struct hn_case *one)
{
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        if (hn_proof_kills(proof, one, i))
            return 1;
    return 0;
}

static int has_checks(const struct hn_catalogue *catalogue, const struct hn_module *module)
{
    for (size_t i = 0; i < catalogue->check_count; i++)
        if (catalogue->checks[i].module == module)
            return 1;
    return 0;
}

int hn_proof_is_awaiting(const struct hn_proof *proof, const struct hn_case *one,
                         unsigned char *modules)
{
    const struct hn_catalogue *catalogue = proof->catalogue;
    int awaits = 0;
    if (one->unclaimed && one->other_torch)
        return 1;
    for (size_t i = 0; i < catalogue->requirement_count; i++) {
        const struct hn_requirement *row = &catalogue->requirements[i];
        if (!violates(one->fault, row->id))
            continue;
        if (has_checks(catalogue, row->module))
            return 0;
        awaits = 1;
        if (modules)
            modules[row->module - catalogue->modules] = 1;
    }
    return awaits && one->unclaimed;
}

int hn_proof_survived(const struct hn_proof *proof, const struct hn_case *one)
{
    const struct hn_fault *fault = one->fault;
    return !hn_proof_is_killed(proof, one) && !hn_proof_is_awaiting(proof, one, NULL) &&
           (!one->unclaimed || fault->violates[0] != '\0');
}

int hn_proof_is_undecided(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    const int verdict = one->verdicts[check];
    (void)proof;
    return one->wanted[check] &&
           (verdict == HN_BROKEN || verdict == HN_INCOMPLETE || verdict == HN_NOTRUN);
}

int hn_proof_is_without_fault(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    const struct hn_proof_options *options = proof->options;
    const struct hn_check *row = &proof->catalogue->checks[check];
    (void)one;
    /* A clause about PyTorch itself is proven by patching torch, not by a fault of the device. */
    if (!proof->selected[check] || row->subject != HN_BACKEND)
        return 0;
    for (size_t i = 0; i < proof->count; i++)
        if (hn_proof_kills(proof, &proof->cases[i], check))
            return 0;
    if (!options->fault)
        return !options->variant;
    return hn_texts_contain(&row->faults, options->fault);
}
