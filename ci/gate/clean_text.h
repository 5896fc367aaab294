/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Escapes text of a run, which is untrusted, before it is written to a terminal, a log or a page
 * of GitHub.
 */
#ifndef CI_CLEAN_TEXT_H
#define CI_CLEAN_TEXT_H

#include "arena.h"
#include "buffer.h"

/* At most `most` bytes of `text` on one line, as valid UTF-8 without control or invisible
 * characters; "..." is appended if it was cut. */
int ci_clean(struct hn_buffer *out, const char *text, size_t most);
/* The same as a copy in the arena; NULL if out of memory. */
const char *ci_clean_copy(struct hn_arena *arena, const char *text, size_t most);
/* Clean text in which every character with a meaning in Markdown or HTML is an entity: it
 * contains no mention of a person (@), no reference to an issue (#), no link. */
int ci_markdown(struct hn_buffer *out, const char *text);
/* The same as a code span, in which nothing is interpreted and all characters are visible; a
 * backtick becomes an apostrophe. */
int ci_code(struct hn_buffer *out, const char *text);
/* 1 if the text has only a-z, 0-9, "_" and ".", and is not longer than an id of the contract;
 * else 0. */
int ci_is_check_id(const char *text);

#endif
