/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Colours of verdicts on a terminal: red for failures, magenta for undecided checks, green for a
 * pass, yellow for the rest.
 */
#ifndef HN_COLOUR_H
#define HN_COLOUR_H

#include <stdio.h>

#include "verdict.h"

#define HN_COLOUR_WORDS "auto|always|never"

/* NULL and "auto" mean: colour on a terminal, unless NO_COLOR is set or TERM is dumb. */
int hn_colour_wanted(const char *said, FILE *out);
/* The sequences that begin and end a colour; "" if `colour` is 0. */
const char *hn_colour(int colour, enum hn_verdict verdict);
const char *hn_colour_end(int colour);

#endif
