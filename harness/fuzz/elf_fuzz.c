/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the shared object of a backend, which the preflight reads.
 */
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
    const struct hn_preflight preflight = {.torch_version = "2.13.0", .tell = tell};
    fuzz_write("libbackend.so", data, size);
    hn_preflight_library(&preflight, fuzz_path("libbackend.so"));
    return 0;
}
