/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Untrusted text inside XML or HTML. The escaped text cannot end an element or attribute, and
 * contains nothing that XML forbids or that a terminal executes. Called by every renderer of
 * markup.
 */
#ifndef RP_MARKUP_ESCAPE_H
#define RP_MARKUP_ESCAPE_H

#include "buffer.h"

enum rp_lines { RP_KEEP_LINES, RP_ONE_LINE }; /* RP_ONE_LINE: each white space becomes one blank */

/* Appends `text` filtered as for a terminal, with & < > " ' as entities; safe as content and in
 * quoted attributes. Text beyond `most` bytes is cut at a character, and "[...]" is appended. */
int rp_markup_text(struct hn_buffer *out, const char *text, enum rp_lines lines, size_t most);

#endif
