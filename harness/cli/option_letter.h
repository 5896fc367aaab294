/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The letters that stand for an option, on whichever page the option is: -o for --output.
 */
#ifndef HN_OPTION_LETTER_H
#define HN_OPTION_LETTER_H

#define HN_OPTION_LETTERS 3

/* 0: the option of this name has no letter. */
char hn_option_letter(const char *name);
/* The name of the option; NULL: no option has this letter. */
const char *hn_letter_option(int letter);

#endif
