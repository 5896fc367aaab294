/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text of foreign programs on a terminal or in a workflow's log: nothing in it may move the cursor,
 * set a title, hide, or give the runner an order.
 */
#ifndef HN_TERMINAL_H
#define HN_TERMINAL_H

#include <stddef.h>

#include "buffer.h"

/* Appends `text`: newline and tab stay, every other control character (C0, DEL, C1, and Unicode's
 * direction and invisible format characters) becomes "\x1b" or "\u202e" written out, a byte that is
 * not UTF-8 becomes "\xff". Of what a runner of GitHub takes for a command, "::word" with
 * nothing or a blank before it and "##[word]", the first character is written so. */
int hn_terminal_filter(struct hn_buffer *out, const char *text, size_t length);
int hn_terminal_puts(struct hn_buffer *out, const char *text);
/* The same between two texts of our own. */
void hn_terminal_put(struct hn_buffer *out, const char *before, const char *text,
                     const char *after);

/* Length of the well-formed UTF-8 character at `text` (1 to 4) and its code point, or 0. */
size_t hn_utf8_decode(const char *text, size_t length, unsigned *character);

#endif
