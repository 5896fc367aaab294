/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See prove_text.h.
 */
#include "prove_text.h"

#include <stdlib.h>

int hn_prove_is_collateral(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    return hn_proof_failed(proof, one, check) && !hn_proof_kills(proof, one, check);
}

static size_t count_checks(const struct hn_proof *proof, const struct hn_case *one,
                           hn_prove_filter filter)
{
    size_t count = 0;
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        count += filter(proof, one, i) != 0;
    return count;
}

static int some_variant_fails(const struct hn_proof *proof, size_t check)
{
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind == HN_CASE_VARIANT &&
            hn_proof_failed(proof, &proof->cases[i], check))
            return 1;
    return 0;
}

static size_t count_open(const struct hn_proof *proof, const struct hn_case *one)
{
    if (one->kind == HN_CASE_FAULT)
        return !one->unclaimed && !one->finished;
    return count_checks(proof, one, hn_proof_is_undecided);
}

void hn_prove_count(const struct hn_proof *proof, struct hn_prove_summary *summary)
{
    size_t lost = 0;
    *summary = (struct hn_prove_summary){0};
    summary->pairs = hn_proof_pairs(proof, &summary->pairs_run);
    for (size_t i = 0; i < proof->count; i++) {
        const struct hn_case *one = &proof->cases[i];
        const int killed = hn_proof_is_killed(proof, one);
        summary->undecided += count_open(proof, one);
        summary->variants += one->kind == HN_CASE_VARIANT;
        if (one->kind != HN_CASE_FAULT)
            continue;
        summary->faults++;
        summary->killed += (size_t)killed;
        const int awaits = hn_proof_is_awaiting(proof, one, NULL);
        summary->awaiting += (size_t)awaits;
        summary->unclaimed += one->unclaimed && !awaits;
        lost += !killed && !one->unclaimed;
    }
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        summary->over_specified += some_variant_fails(proof, i) != 0;
    const size_t wrong =
        lost + summary->over_specified + count_checks(proof, &proof->cases[0], hn_proof_failed);
    summary->exit_status = wrong                ? HN_EXIT_FAILED
                           : summary->undecided ? HN_EXIT_UNDECIDED
                                                : HN_EXIT_OK;
}

static void print_ids(const struct hn_proof *proof, const struct hn_case *one, const char *label,
                      hn_prove_filter filter, FILE *out)
{
    if (count_checks(proof, one, filter) == 0)
        return;
    fprintf(out, "  %s", label);
    for (size_t i = 0; i < proof->catalogue->check_count; i++)
        if (filter(proof, one, i))
            fprintf(out, " %s", proof->catalogue->checks[i].id);
    fputc('\n', out);
}

static int claims_in_vain(const struct hn_proof *proof, const struct hn_case *one, size_t check)
{
    return one->wanted[check] && hn_proof_claims(proof, one, check) &&
           !hn_proof_kills(proof, one, check);
}

/* A fault counts as awaiting if only modules without checks can claim it. An unclaimed fault of
 * another module shows that a check is missing. */
static void print_unclaimed(const struct hn_proof *proof, const struct hn_case *one, FILE *out)
{
    unsigned char modules[HN_PROVE_MODULES] = {0};
    const int awaits = hn_proof_is_awaiting(proof, one, modules);
    fprintf(out, "%-10s %s  violates %s\n", awaits ? "awaiting" : "unclaimed", one->name,
            one->fault->violates[0] ? one->fault->violates : "nothing");
    if (!awaits)
        return;
    if (one->other_torch) {
        fputs("  another torch: its checks test clauses that do not apply to this torch\n", out);
        return;
    }
    fputs("  checks of", out);
    for (size_t i = 0; i < proof->catalogue->module_count; i++)
        if (modules[i])
            fprintf(out, " %s", proof->catalogue->modules[i].name);
    fputc('\n', out);
}

static void print_fault(const struct hn_proof *proof, const struct hn_case *one, FILE *out)
{
    const int killed = hn_proof_is_killed(proof, one);
    if (one->unclaimed && !killed) {
        print_unclaimed(proof, one, out);
        return;
    }
    fprintf(out, "%-10s %s  violates %s\n", killed ? "killed" : "SURVIVED", one->name,
            one->fault->violates);
    print_ids(proof, one, "by", hn_proof_kills, out);
    print_ids(proof, one, "claimed but not detected by", claims_in_vain, out);
    print_ids(proof, one, "also fails", hn_prove_is_collateral, out);
    if (!one->finished)
        fputs("  not every pair of this fault has a verdict\n", out);
}

static void print_device(const struct hn_proof *proof, const struct hn_case *one, FILE *out)
{
    const int failed = count_checks(proof, one, hn_proof_failed) > 0;
    const int open = count_checks(proof, one, hn_proof_is_undecided) > 0;
    fprintf(out, "%-10s %s%s\n",
            failed ? "FAILED"
            : open ? "undecided"
                   : "good",
            one->kind == HN_CASE_VARIANT ? "variant " : "the clean device",
            one->kind == HN_CASE_VARIANT ? one->name : "");
    print_ids(proof, one, "fails", hn_proof_failed, out);
    print_ids(proof, one, "undecided", hn_proof_is_undecided, out);
}

void hn_prove_print(const struct hn_proof *proof, const struct hn_prove_summary *summary, FILE *out)
{
    for (size_t i = 0; i < proof->count; i++)
        if (proof->cases[i].kind == HN_CASE_FAULT)
            print_fault(proof, &proof->cases[i], out);
        else
            print_device(proof, &proof->cases[i], out);
    if (count_checks(proof, NULL, hn_proof_is_without_fault))
        fputs("checks that fail under no fault of this proof\n", out);
    print_ids(proof, NULL, "", hn_proof_is_without_fault, out);
    fprintf(
        out,
        "%zu of %zu pairs of fault and check were run%s\n"
        "%zu faults: %zu killed, %zu await checks (that do not exist yet, or are for another "
        "torch), %zu claimed by no check; %zu variants, %zu checks over-specified; %zu undecided\n"
        "%s\n",
        summary->pairs_run, summary->pairs,
        !proof->narrows ? ""
        : proof->options->sample
            ? "; in the others the check does not reach the fault, or they are not in the sample"
            : "; in the others the check does not reach the fault",
        summary->faults, summary->killed, summary->awaiting, summary->unclaimed, summary->variants,
        summary->over_specified, summary->undecided, proof->options->folder);
}
