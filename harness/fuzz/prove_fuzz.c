/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as the journal of a run that a proof reads its verdicts from.
 */
#include <stdlib.h>

#include "fuzz_folder.h"
#include "proof.h"

#define CHECKS 16

static const struct hn_catalogue *read_catalogue(void)
{
    static struct hn_catalogue *catalogue;
    struct hn_findings findings = {0};
    if (!catalogue && hn_catalogue_load(CONTRACT, NULL, NULL, &catalogue, &findings) != HN_OK)
        abort();
    hn_findings_finish(&findings);
    return catalogue;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct hn_proof proof = {.catalogue = read_catalogue()};
    unsigned char wanted[CHECKS] = {1}, verdicts[CHECKS] = {0};
    struct hn_case one = {.name = "clean", .wanted = wanted, .verdicts = verdicts};
    struct hn_error error;
    if (proof.catalogue->check_count > CHECKS)
        abort();
    fuzz_write("journal.jsonl", data, size);
    one.folder = fuzz_folder();
    hn_proof_read(&proof, &one, &error);
    return 0;
}
