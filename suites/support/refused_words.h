/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The words of PyTorch when a backend does not offer something, and the name of the means that is
 * refused with these words (names: ../RULES.md). Pure. The same table, for what leaves Python, is
 * assay/refusals/words.py; refused_words_test.py compares them.
 */
#ifndef ASSAY_REFUSED_WORDS_H
#define ASSAY_REFUSED_WORDS_H

#include <stddef.h>

/* 1 if `text` is a clear refusal: `name` gets the means. Else 0 and `name` is untouched. */
int assay_refused_means(const char *text, char *name, size_t size);

#endif
