/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of a sub-command for people: --help, and its paragraphs for the man page.
 */
#ifndef HN_HELP_TEXT_H
#define HN_HELP_TEXT_H

#include "buffer.h"
#include "command.h"

/* Lines of 80 columns at most. A line that begins with a space is an example and stays as it is,
 * an empty one parts paragraphs, all others are wrapped. */
void hn_help_wrap(struct hn_buffer *out, const char *text);
void hn_help_print(const struct hn_command *command, FILE *out);
/* 'o' for "output", on whichever page the option is; 0: the option of this name has no letter. */
char hn_option_letter(const char *name);

#endif
