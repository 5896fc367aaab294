/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See silence.h. Why half: ci/decisions/0017-a-run-that-is-mostly-silent-is-undecided.md.
 */
#include "silence.h"

#include <stdio.h>

static int is_mute(enum hn_verdict verdict)
{
    switch (verdict) {
    case HN_BROKEN:
    case HN_INCOMPLETE:
    case HN_NOTRUN:
    case HN_BLOCKED:
    case HN_SKIP:
    case HN_UNOBSERVABLE:
        return 1;
    default:
        return 0;
    }
}

void hn_silence_add(struct hn_silence *silence, enum hn_verdict verdict, int is_explained)
{
    silence->musts++;
    silence->mute += (size_t)(is_mute(verdict) && !is_explained);
}

int hn_silence_prevails(const struct hn_silence *silence)
{
    return silence->mute > silence->musts - silence->mute;
}

void hn_silence_words(const struct hn_silence *silence, char *text, size_t size)
{
    text[0] = '\0';
    if (hn_silence_prevails(silence))
        snprintf(text, size, "%zu of %zu musts came to no verdict: this run decides nothing",
                 silence->mute, silence->musts);
}
