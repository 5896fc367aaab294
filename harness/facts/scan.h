/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Splits C++ text into tokens, as far as facts need tokens. Bodies, default arguments and macros
 * are compared token by token, so that comments and line breaks are not changes. This file must not
 * depend on libclang.
 */
#ifndef DRIFT_SCAN_H
#define DRIFT_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

struct drift_scan {
    const char *text;
    size_t at, end; /* the next byte; the end of the text */
};

struct drift_token {
    const char *text;
    size_t length; /* 0: end of the text */
};

/* The next token: a word or number, a literal, or one byte of punctuation. Comments, white space
 * and line continuations are skipped. */
struct drift_token drift_scan_next(struct drift_scan *scan);
int drift_token_is(struct drift_token token, const char *text);

/* All tokens up to the end, separated by a fixed rule, so that formatting is not a change. */
void drift_scan_normal(struct drift_scan scan, struct hn_buffer *out);
/* Starts at a function's name. Returns the hash of its initialisers and body, or 0 if a `;`
 * comes first. `throws` is set if the body begins by throwing that it is not implemented.
 * `names` are the parameters, one per line, so that a renamed parameter is not a change. */
uint64_t drift_scan_body(struct drift_scan scan, const char *names, int *throws);
/* Writes the text after the first `=` outside of brackets, or inside the braces of `int a{3}`;
 * nothing if there is neither. */
void drift_scan_default(struct drift_scan scan, struct hn_buffer *out);

#endif
