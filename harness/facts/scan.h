/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tokens of C++ text, as far as facts need them: bodies, default arguments and macros are compared
 * token by token, so that a comment or a line break is no change. Knows nothing of libclang.
 */
#ifndef DRIFT_SCAN_H
#define DRIFT_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "buffer.h"

struct drift_scan {
    const char *text;
    size_t at, end; /* the next byte, and where the text ends */
};

struct drift_token {
    const char *text;
    size_t length; /* 0: the text has ended */
};

/* The next token: a word or number, a literal, or one byte of punctuation. Comments, white space
 * and line continuations are passed over. */
struct drift_token drift_scan_next(struct drift_scan *scan);
int drift_token_is(struct drift_token token, const char *text);

/* All tokens up to the end, spaced by rule and not as they were written: nobody's formatter is
 * a change. */
void drift_scan_normal(struct drift_scan scan, struct hn_buffer *out);
/* From a function's name: the hash of its initialisers and body, 0 when a `;` comes first. `throws` is
 * set when the first thing the body does is to refuse. `names` are the parameters', one to a line:
 * another name for one is no change. */
uint64_t drift_scan_body(struct drift_scan scan, const char *names, int *throws);
/* The text behind the first `=` outside brackets, or within the braces of `int a{3}`; nothing when there
 * is neither. */
void drift_scan_default(struct drift_scan scan, struct hn_buffer *out);

#endif
