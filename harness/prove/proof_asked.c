/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which pairs of fault and check can meet at all: each check was run alone with FAKEDEV_ASKED, and
 * the device wrote down which faults it was asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "proof.h"

#define ASKED_FILE "asked.txt"
#define ASKED_LIMIT ((size_t)1 << 20)

int hn_proof_asked_path(const struct hn_case *asking, char *path, size_t size,
                        struct hn_error *error)
{
    return hn_path_join(path, size, asking->folder, ASKED_FILE, error);
}

/* NULL: nobody knows what the check asks for (the device was not loaded, or is none of ours). */
static char *read_names(const struct hn_case *asking)
{
    char path[HN_PATH_SIZE], *text = NULL;
    size_t length = 0;
    struct hn_error ignored;
    if (!asking->finished || hn_proof_asked_path(asking, path, sizeof path, &ignored) != HN_OK ||
        hn_file_read(path, ASKED_LIMIT, &text, &length, &ignored) != HN_OK)
        return NULL;
    return text;
}

/* A byte for each fault of the catalogue. */
static void mark_asked(const struct hn_catalogue *catalogue, char *text, unsigned char *asked)
{
    for (char *name; (name = strsep(&text, "\n"));) {
        const struct hn_fault *fault = hn_catalogue_fault(catalogue, name);
        if (fault)
            asked[fault - catalogue->faults] = 1;
    }
}

static size_t check_of(const struct hn_proof *proof, const struct hn_case *asking)
{
    return (size_t)(hn_catalogue_check(proof->catalogue, asking->name) - proof->catalogue->checks);
}

static void leave_out(struct hn_proof *proof, size_t check, const unsigned char *asked)
{
    for (size_t i = 0; i < proof->count; i++) {
        struct hn_case *one = &proof->cases[i];
        if (one->kind == HN_CASE_FAULT && !asked[one->fault - proof->catalogue->faults] &&
            !hn_proof_claims(proof, one, check))
            one->wanted[check] = 0;
    }
}

int hn_proof_narrow(struct hn_proof *proof, struct hn_error *error)
{
    const size_t size = proof->catalogue->fault_count + 1;
    unsigned char *asked = malloc(size);
    if (!asked)
        return hn_error_nomem(error);
    for (size_t i = 0; i < proof->asking_count; i++) {
        char *names = read_names(&proof->askings[i]);
        if (!names)
            continue;
        memset(asked, 0, size);
        mark_asked(proof->catalogue, names, asked);
        leave_out(proof, check_of(proof, &proof->askings[i]), asked);
        free(names);
    }
    free(asked);
    return HN_OK;
}
