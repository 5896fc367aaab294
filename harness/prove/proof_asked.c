/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides which pairs of fault and check are run. On the clean device, each job recorded which
 * switches the check reached (host/job/arm.h). If there are many pairs, a sample is enough.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "hash.h"
#include "proof.h"

#define ASKED_LIMIT ((size_t)1 << 20)

/* Returns the switches that the check reached; NULL if the check did not end normally and wrote no
 * list. */
static char *read_names(const struct hn_proof *proof, const char *check)
{
    char path[HN_PATH_SIZE], *text = NULL;
    struct hn_error ignored;
    const int size = snprintf(path, sizeof path, "%s/%s/jobs/%s/asked.txt", proof->options->folder,
                              proof->cases[0].folder, check);
    if (size < 0 || (size_t)size >= sizeof path ||
        hn_file_read(path, ASKED_LIMIT, &text, NULL, &ignored) != HN_OK)
        return NULL;
    return text;
}

/* Sets a byte for each fault of the catalogue. */
static void mark_asked(const struct hn_catalogue *catalogue, char *text, unsigned char *asked)
{
    for (char *name; (name = strsep(&text, "\n"));) {
        const struct hn_fault *fault = hn_catalogue_fault(catalogue, name);
        if (fault)
            asked[fault - catalogue->faults] = 1;
    }
}

int hn_proof_is_sampled(const struct hn_proof *proof, size_t check, const char *name)
{
    char pair[600];
    if (proof->options->sample <= 1)
        return 1;
    snprintf(pair, sizeof pair, "%lu %s %s", proof->options->seed,
             proof->catalogue->checks[check].id, name);
    return hn_hash_mix(hn_hash_text(HN_HASH_START, pair)) % proof->options->sample == 0;
}

/* `asked` is NULL if it is not known which switches the check reaches. */
static void leave_out(struct hn_proof *proof, size_t check, const unsigned char *asked)
{
    for (size_t i = 0; i < proof->count; i++) {
        struct hn_case *one = &proof->cases[i];
        if (one->kind != HN_CASE_FAULT || hn_proof_claims(proof, one, check))
            continue;
        if ((asked && !asked[one->fault - proof->catalogue->faults]) ||
            !hn_proof_is_sampled(proof, check, one->name))
            one->wanted[check] = 0;
    }
}

int hn_proof_narrow(struct hn_proof *proof, struct hn_error *error)
{
    const size_t size = proof->catalogue->fault_count + 1;
    unsigned char *asked = malloc(size);
    if (!asked)
        return hn_error_nomem(error);
    for (size_t i = 0; i < proof->catalogue->check_count; i++) {
        char *names = proof->selected[i] ? read_names(proof, proof->catalogue->checks[i].id) : NULL;
        memset(asked, 0, size);
        if (names)
            mark_asked(proof->catalogue, names, asked);
        leave_out(proof, i, names ? asked : NULL);
        free(names);
    }
    free(asked);
    return HN_OK;
}
