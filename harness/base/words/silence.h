/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Silence: the part of a run that gave no verdict. A target that refuses everything has no
 * failures, but must not look like a target that fulfils the contract. Called by the runner, the
 * reports and the gate. Pure functions.
 */
#ifndef HN_SILENCE_H
#define HN_SILENCE_H

#include <stddef.h>

#include "verdict.h"

struct hn_silence {
    size_t musts; /* number of checks of level must in the run */
    size_t mute;  /* number of these checks that have no verdict */
};

/* `is_explained`: the check does not count as silent. Either a refusal check has shown that the
 * capability is missing as claimed, or the check failed together with another check. */
void hn_silence_add(struct hn_silence *silence, enum hn_verdict verdict, int is_explained);
/* Returns 1 if more than half of the musts are mute: such a run is undecided. */
int hn_silence_prevails(const struct hn_silence *silence);
/* Writes the sentence for people, or "" unless hn_silence_prevails. */
void hn_silence_words(const struct hn_silence *silence, char *text, size_t size);

#endif
