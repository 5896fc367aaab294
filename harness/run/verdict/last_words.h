/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the last line of output of a process, for a sentence about its end. Called by
 * failed_start.c and judge.c.
 */
#ifndef HN_LAST_WORDS_H
#define HN_LAST_WORDS_H

#include <stddef.h>

/* Gets the last line of the file that is not blank, trimmed; "" if there is none. The text is
 * untrusted. */
void hn_last_words(const char *folder, const char *file, char *words, size_t size);

#endif
