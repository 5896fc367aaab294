/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PyTorch's messages for something that the backend does not offer, and the name of the means that
 * is refused with them (names: ../RULES.md). Pure functions. assay/refusals/words.py has the same
 * table for Python; refused_words_test.py compares them.
 */
#ifndef ASSAY_REFUSED_WORDS_H
#define ASSAY_REFUSED_WORDS_H

#include <stddef.h>

/* 1 if `text` is a clear refusal; then `name` gets the means. Otherwise 0, and `name` is
 * unchanged. */
int assay_refused_means(const char *text, char *name, size_t size);

#endif
