/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Escapes untrusted text of a run before it is written to a terminal, a log or a page of GitHub.
 */
#ifndef CI_CLEAN_TEXT_H
#define CI_CLEAN_TEXT_H

#include "arena.h"
#include "buffer.h"

/* Appends at most `most` bytes of `text` on one line, as valid UTF-8 without control or invisible
 * characters. If the text was cut, "..." is appended. */
int ci_clean(struct hn_buffer *out, const char *text, size_t most);
/* Returns the text that ci_clean() would append, as a copy in the arena; NULL if out of memory. */
const char *ci_clean_copy(struct hn_arena *arena, const char *text, size_t most);
/* Like ci_clean(), and replaces every character with a meaning in Markdown or HTML by an entity:
 * the result mentions no person (@), refers to no issue (#) and contains no link. */
int ci_markdown(struct hn_buffer *out, const char *text);
/* Like ci_clean(), as a code span, in which nothing is interpreted and all characters are visible.
 * A backtick becomes an apostrophe. */
int ci_code(struct hn_buffer *out, const char *text);
/* Returns 1 if the text contains only a-z, 0-9, "_" and ".", and is not longer than an id of the
 * contract. */
int ci_is_check_id(const char *text);

#endif
