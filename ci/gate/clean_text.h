/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Words of a run, which anybody may have written, on their way to a terminal, a log or a page of
 * GitHub.
 */
#ifndef CI_CLEAN_TEXT_H
#define CI_CLEAN_TEXT_H

#include "arena.h"
#include "buffer.h"

/* At most `most` bytes of `text` on one line: no control characters, no invisible ones, valid
 * UTF-8; "..." where it was cut. */
int ci_clean(struct hn_buffer *out, const char *text, size_t most);
/* The same as a copy in the arena; NULL when that is full. */
const char *ci_clean_copy(struct hn_arena *arena, const char *text, size_t most);
/* A clean text with every character that Markdown or HTML may take for its own written as an entity;
 * no mention of a person (@), no reference to an issue (#), no link. */
int ci_markdown(struct hn_buffer *out, const char *text);
/* The same as a code span, in which nothing means anything and everything can be read as it is; a
 * backtick becomes an apostrophe. */
int ci_code(struct hn_buffer *out, const char *text);
/* Only a-z, 0-9, "_" and "." and not longer than an id of the contract: 1, else 0. */
int ci_is_check_id(const char *text);

#endif
