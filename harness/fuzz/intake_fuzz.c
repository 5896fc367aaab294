/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as what a pull request may hand to the gate: a run (journal, then plan) and, behind the
 * second line "@@", the expectations. Nothing is refused in an unclean sentence.
 */
#include <stdlib.h>

#include "arena.h"
#include "expectations.h"
#include "fuzz_folder.h"
#include "run_intake.h"

static void expect_clean(const char *text)
{
    for (; text && *text; text++)
        if ((unsigned char)*text < ' ' && *text != '\n')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"head/journal.jsonl", "head/plan.json", "expected.yaml"};
    struct ci_expectations *expectations = NULL;
    struct ci_side side = {0};
    struct hn_error error;
    struct hn_arena *arena = hn_arena_create((size_t)64 << 20);

    if (!arena)
        return 0;
    fuzz_write_parts(names, 3, data, size);
    if (ci_side_read(fuzz_path("head"), arena, &side, &error) == HN_OK) {
        if (!side.run && !side.refusal)
            abort();
        expect_clean(side.refusal);
    }
    if (ci_expectations_read(fuzz_path("expected.yaml"), &expectations, &error) == HN_OK) {
        for (size_t i = 0; side.run && i < expectations->count; i++)
            for (size_t j = 0; j < side.run->check_count; j++)
                ci_expectation_matches(&expectations->items[i], &side.run->checks[j]);
    }
    ci_expectations_destroy(expectations);
    ci_side_finish(&side);
    hn_arena_destroy(arena);
    return 0;
}
