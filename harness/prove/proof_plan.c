/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Plans the runs of a proof, and the checks of each run. See proof.h.
 */
#include <string.h>

#include "file.h"
#include "nearest.h"
#include "proof.h"
#include "select.h"
#include "verdict.h"

#define VARIANTS_MAX 100

struct names {
    const char *items[VARIANTS_MAX];
    size_t count;
};

static int read_variants(struct hn_proof *proof, const char *file, struct names *names,
                         struct hn_error *error)
{
    char *text, *line;
    size_t lines;
    const int status = hn_file_list(file, (size_t)1 << 20, proof->arena, &text, &lines, error);
    if (status != HN_OK)
        return status;
    while ((line = strsep(&text, "\n"))) {
        const char *name = strsep(&line, "\t");
        if (*name && names->count < VARIANTS_MAX)
            names->items[names->count++] = name;
    }
    return HN_OK;
}

static int select_checks(struct hn_proof *proof, struct hn_error *error)
{
    const size_t count = proof->catalogue->check_count;
    proof->selected = hn_arena_array(proof->arena, count + 1, 1);
    if (!proof->selected)
        return hn_error_nomem(error);
    return hn_select(proof->catalogue, proof->options->select ? proof->options->select : "all",
                     proof->selected, error);
}

static void want_claiming(const struct hn_proof *proof, struct hn_case *one)
{
    one->unclaimed = 1;
    for (size_t i = 0; i < proof->catalogue->check_count; i++) {
        const int claims = proof->selected[i] && hn_proof_claims(proof, one, i);
        one->wanted[i] = (unsigned char)(claims || (proof->options->full && proof->selected[i]));
        if (claims)
            one->unclaimed = 0;
    }
}

/* In a proof of selected checks, a fault is included if one of the checks claims it. In a full
 * proof every fault is included. */
static int add_faults(struct hn_proof *proof, struct hn_error *error)
{
    const struct hn_catalogue *catalogue = proof->catalogue;
    const struct hn_proof_options *options = proof->options;
    for (size_t i = 0; i < catalogue->fault_count; i++) {
        if (options->fault && strcmp(options->fault, catalogue->faults[i].name) != 0)
            continue;
        struct hn_case *one = hn_proof_add_case(proof, HN_CASE_FAULT, catalogue->faults[i].name);
        if (!one)
            return hn_error_nomem(error);
        one->fault = &catalogue->faults[i];
        want_claiming(proof, one);
        if (one->unclaimed && options->select && !options->full)
            proof->count--;
    }
    return HN_OK;
}

static int add_variants(struct hn_proof *proof, const struct names *names, struct hn_error *error)
{
    const struct hn_proof_options *options = proof->options;
    for (size_t i = 0; i < names->count; i++) {
        if (options->variant && strcmp(options->variant, names->items[i]) != 0)
            continue;
        struct hn_case *one = hn_proof_add_case(proof, HN_CASE_VARIANT, names->items[i]);
        if (!one)
            return hn_error_nomem(error);
        memcpy(one->wanted, proof->selected, proof->catalogue->check_count);
    }
    return HN_OK;
}

/* The clean device runs every check that another case runs. */
static void want_everything(struct hn_proof *proof)
{
    for (size_t i = 1; i < proof->count; i++)
        for (size_t k = 0; k < proof->catalogue->check_count; k++)
            proof->cases[0].wanted[k] |= proof->cases[i].wanted[k];
}

static int refuse_unknown(const char *kind, const char *name, struct hn_nearest *search,
                          struct hn_error *error)
{
    return hn_error_set(error, HN_EUSAGE, "there is no %s \"%.60s\"%s", kind, name,
                        hn_nearest_hint(search));
}

static int check_names(const struct hn_proof *proof, const struct names *variants,
                       struct hn_error *error)
{
    const struct hn_proof_options *options = proof->options;
    struct hn_nearest search;
    int known = 0;
    if (options->fault && !hn_catalogue_fault(proof->catalogue, options->fault)) {
        hn_nearest_begin(&search, options->fault);
        HN_NEAREST_OFFER_ALL(&search, proof->catalogue->faults, proof->catalogue->fault_count);
        return refuse_unknown("fault", options->fault, &search, error);
    }
    if (!options->variant)
        return HN_OK;
    hn_nearest_begin(&search, options->variant);
    for (size_t i = 0; i < variants->count; i++) {
        hn_nearest_offer(&search, variants->items[i]);
        known |= strcmp(variants->items[i], options->variant) == 0;
    }
    return known ? HN_OK : refuse_unknown("variant", options->variant, &search, error);
}

/* The clean device runs all selected checks, because a list of pairs is made from the switches
 * that each check reaches. */
static int plan_listed(struct hn_proof *proof, struct hn_error *error)
{
    const int status = hn_proof_add_listed(proof, error);
    if (status != HN_OK) /* there may be no case yet */
        return status;
    proof->narrows = 1;
    memcpy(proof->cases[0].wanted, proof->selected, proof->catalogue->check_count);
    return HN_OK;
}

int hn_proof_plan(struct hn_proof *proof, const char *variants_file, struct hn_error *error)
{
    const struct hn_proof_options *options = proof->options;
    struct names variants = {.count = 0};
    int status = read_variants(proof, variants_file, &variants, error);
    if (status == HN_OK && (proof->catalogue->fault_count == 0 || variants.count == 0))
        status = hn_error_set(
            error, HN_EINPUT,
            "there is no list of faults and variants: faults.tsv and variants.tsv come "
            "with a build, or stand beside conformance.yaml");
    if (status == HN_OK)
        status = check_names(proof, &variants, error);
    if (status == HN_OK)
        status = select_checks(proof, error);
    if (status != HN_OK)
        return status;
    if (options->pairs)
        return plan_listed(proof, error);
    proof->cases = hn_arena_array(proof->arena, proof->catalogue->fault_count + variants.count + 2,
                                  sizeof *proof->cases);
    if (!proof->cases || !hn_proof_add_case(proof, HN_CASE_CLEAN, "clean"))
        return hn_error_nomem(error);
    if (options->refusals) {
        memcpy(proof->cases[0].wanted, proof->selected, proof->catalogue->check_count);
        return HN_OK;
    }
    /* An option that selects a fault excludes the variants, and an option that selects a variant
     * excludes the faults. */
    if (options->fault || !options->variant)
        status = add_faults(proof, error);
    /* For one fault, running all pairs is cheaper than finding the pairs with an effect. */
    proof->narrows = options->full && (options->sample || !options->fault) && proof->count > 1;
    if (status == HN_OK && !options->only_faults && (options->variant || !options->fault))
        status = add_variants(proof, &variants, error);
    want_everything(proof);
    return status;
}
