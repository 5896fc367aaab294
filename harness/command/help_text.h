/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The help of a sub-command: its page for --help, and its paragraphs for the man page.
 */
#ifndef HN_HELP_TEXT_H
#define HN_HELP_TEXT_H

#include "buffer.h"
#include "command.h"

/* Wraps at 80 columns. A line that begins with a space is an example and is not wrapped. An empty
 * line separates paragraphs. */
void hn_help_wrap(struct hn_buffer *out, const char *text);
void hn_help_print(const struct hn_command *command, FILE *out);
/* The letter of an option, the same on all pages ('o' for "output"); 0 if it has no letter. */
char hn_option_letter(const char *name);

#endif
