/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the journal of a run, from which a proof reads verdicts.
 */
#include <stdlib.h>

#include "fuzz_folder.h"
#include "proof.h"

#define CHECKS 16
#define ARENA_LIMIT ((size_t)64 << 20)

static struct hn_catalogue *read_catalogue(void)
{
    static struct hn_catalogue *catalogue;
    struct hn_findings findings = {0};
    if (!catalogue && hn_catalogue_load(CONTRACT, NULL, NULL, NULL, &catalogue, &findings) != HN_OK)
        abort();
    hn_findings_finish(&findings);
    return catalogue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char wanted[CHECKS] = {1}, verdicts[CHECKS] = {0};
    const char *subjects[CHECKS] = {0};
    struct hn_case one = {
        .name = "clean", .wanted = wanted, .verdicts = verdicts, .subjects = subjects};
    const struct hn_proof proof = {.catalogue = read_catalogue(),
                                   .cases = &one,
                                   .count = 1,
                                   .arena = hn_arena_create(ARENA_LIMIT)};
    struct hn_error error;
    int complete;
    if (proof.catalogue->check_count > CHECKS)
        abort();
    fuzz_write("journal.jsonl", data, size);
    hn_proof_read(&proof, fuzz_folder(), &one, &complete, &error);
    hn_proof_read(&proof, fuzz_folder(), NULL, &complete, &error);
    hn_arena_destroy(proof.arena);
    return 0;
}
