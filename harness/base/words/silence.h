/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How much of a run says nothing. A target that refuses everything fails nowhere, and must not look
 * like one that keeps the contract. Called by the runner, the reports and the gate. Pure.
 */
#ifndef HN_SILENCE_H
#define HN_SILENCE_H

#include <stddef.h>

#include "verdict.h"

struct hn_silence {
    size_t musts; /* checks of musts that the run was asked for */
    size_t mute;  /* those of them that came to no verdict */
};

/* `is_explained`: its silence is an answer: a refusal check has shown that a capability is lacking, as the
 * target says, or the check failed as another one did. */
void hn_silence_add(struct hn_silence *silence, enum hn_verdict verdict, int is_explained);
/* 1 if more than half of the musts are mute: such a run is undecided. */
int hn_silence_prevails(const struct hn_silence *silence);
/* The sentence for people; empty unless silence prevails. */
void hn_silence_words(const struct hn_silence *silence, char *text, size_t size);

#endif
