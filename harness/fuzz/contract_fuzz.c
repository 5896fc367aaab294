/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is conformance.yaml, the contract of its module `sample`, the code of that
 * module, and the list of faults.
 */
#include <stdio.h>

#include "catalogue.h"
#include "fuzz_folder.h"

static const char *const files[] = {"conformance.yaml", "suites/sample/contract.yaml",
                                    "suites/sample/test_sample.py", "faults.tsv"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char faults[300];
    struct hn_catalogue *catalogue = NULL;
    struct hn_findings findings = {0};
    fuzz_write_parts(files, sizeof files / sizeof *files, data, size);
    snprintf(faults, sizeof faults, "%s", fuzz_path("faults.tsv"));
    hn_catalogue_load(fuzz_folder(), faults, NULL, NULL, &catalogue, &findings);
    hn_catalogue_destroy(catalogue);
    hn_findings_finish(&findings);
    return 0;
}
