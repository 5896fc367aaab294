/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See evidence_growth.h.
 */
#include "evidence_growth.h"

#include <stdio.h>

static void note(struct hn_evidence *evidence, const char *what, int64_t before, int64_t after)
{
    char text[160];
    if (before < 0 || after <= before)
        return;
    snprintf(text, sizeof text, "%s: %lld after the second run of the check, %lld after the third",
             what, (long long)before, (long long)after);
    hn_evidence_note(evidence, HN_NOTE_GREW, text);
}

void hn_evidence_growth(struct hn_evidence *evidence, const struct hn_growth *second,
                        const struct hn_growth *third)
{
    note(evidence, "threads", second->threads, third->threads);
    note(evidence, "open files", second->files, third->files);
    note(evidence, "blocks of the devices", second->blocks, third->blocks);
    note(evidence, "allocated bytes of the devices", second->allocated, third->allocated);
    note(evidence, "reserved bytes of the devices", second->reserved, third->reserved);
}
