/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the input is the events.jsonl of a job, to which the target's code can write.
 * Without the nonce, no input may give the verdict pass.
 */
#include "evidence_read.h"

#include <stdlib.h>

#include "fuzz_folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct hn_check check = {.id = "a.one", .expect_status = -1};
    static const struct hn_ending ending = {.stage = "exit"};
    struct hn_found found;
    struct hn_outcome outcome;
    fuzz_write("events.jsonl", data, size);
    hn_evidence_read(fuzz_folder(), "a nonce that nobody knows", &found);
    hn_outcome_decide(&check, &found, &ending, &outcome);
    if (outcome.verdict == HN_PASS)
        abort();
    return 0;
}
