/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the plans and journals of two shards, which are merged.
 */
#include "merge.h"

#include <stdio.h>
#include <unistd.h>

#include "fuzz_folder.h"

static const char *const files[] = {"one/plan.json", "one/journal.jsonl", "two/plan.json",
                                    "two/journal.jsonl"};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char one[300], two[300], out[300];
    char *const shards[] = {one, two};
    struct hn_error error;
    fuzz_write_parts(files, sizeof files / sizeof *files, data, size);
    snprintf(one, sizeof one, "%s", fuzz_path("one"));
    snprintf(two, sizeof two, "%s", fuzz_path("two"));
    snprintf(out, sizeof out, "%s", fuzz_path("out"));
    hn_merge(shards, 2, out, 0, &error);
    hn_merge(shards, 1, out, 1, &error);
    unlink(fuzz_path("out/journal.jsonl"));
    unlink(fuzz_path("out/plan.json"));
    return 0;
}
