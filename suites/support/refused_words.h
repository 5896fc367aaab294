/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PyTorch's messages for something that the backend does not offer, and the means that each message
 * refuses (names: ../RULES.md). Pure functions. assay/refusals/words.py has the same table for
 * Python; refused_words_test.py compares them.
 */
#ifndef ASSAY_REFUSED_WORDS_H
#define ASSAY_REFUSED_WORDS_H

#include <stddef.h>

/* Returns 1 and writes the means to `name` if `text` is a clear refusal. Otherwise returns 0 and
 * leaves `name` unchanged. */
int assay_refused_means(const char *text, char *name, size_t size);

#endif
