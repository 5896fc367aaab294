/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the profile of a target.
 */
#include "fuzz_folder.h"
#include "profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hn_profile *profile = NULL;
    struct hn_findings findings = {0};
    fuzz_write("target.yaml", data, size);
    hn_profile_read(fuzz_path("target.yaml"), &profile, &findings);
    hn_profile_destroy(profile);
    hn_findings_finish(&findings);
    return 0;
}
