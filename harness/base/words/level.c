/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared words as tables. Called by readers and writers of all files. This file must not depend on
 * the rest of the harness.
 */
#include "level.h"

#include <string.h>

const char *const hn_level_names[HN_LEVELS] = {"must", "should", "may", "advisory"};
const char *const hn_subject_names[HN_SUBJECTS] = {"backend", "core"};
const char *const hn_kind_names[HN_KINDS] = {"native", "python"};
const char *const hn_claim_names[HN_CLAIMS] = {"unknown", "no", "yes"};
const char *const hn_needs_names[HN_NEEDS_COUNT] = {"gate", "inject", "counters"};

int hn_word_index(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}
