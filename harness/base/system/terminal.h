/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Filters untrusted text for a terminal or the log of a workflow: no part of the text may
 * move the cursor, set a title, hide text, or be a command for the runner.
 */
#ifndef HN_TERMINAL_H
#define HN_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

#include "buffer.h"

/* Appends `text`. Newline and tab stay; every other control character (C0, DEL, C1, and Unicode's
 * direction and invisible format characters) is written as "\x1b" or "\u202e", and a byte that is
 * not UTF-8 as "\xff". In text that a GitHub runner parses as a command ("::word" at the beginning
 * or after a blank, and "##[word]") the first character is escaped in the same way. */
int hn_terminal_filter(struct hn_buffer *out, const char *text, size_t length);
int hn_terminal_puts(struct hn_buffer *out, const char *text);
/* Appends `before`, the filtered `text`, and `after`. `before` and `after` must be trusted. */
void hn_terminal_put(struct hn_buffer *out, const char *before, const char *text,
                     const char *after);

/* Prints the filtered `text`. */
void hn_terminal_print(FILE *out, const char *text);

/* Returns the length (1 to 4) and the code point of the UTF-8 character at `text`; 0: malformed. */
size_t hn_utf8_decode(const char *text, size_t length, unsigned *character);

#endif
