/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the METADATA of a wheel, and a version specifier.
 */
#include <stdio.h>

#include "fuzz_folder.h"
#include "preflight.h"

static void tell(void *context, const char *severity, const char *sentence)
{
    (void)context;
    (void)severity;
    (void)sentence;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char specifiers[200];
    const struct hn_preflight preflight = {.torch_version = "2.13.0+cpu", .tell = tell};
    fuzz_write("METADATA", data, size);
    hn_preflight_metadata(&preflight, fuzz_path("METADATA"));
    snprintf(specifiers, sizeof specifiers, "%.*s", (int)size, (const char *)data);
    hn_preflight_accepts(specifiers, "2.13.0+cpu");
    hn_preflight_accepts(">=2.12,!=2.13.*", specifiers);
    return 0;
}
