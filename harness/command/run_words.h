/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For commands that are an assay run in other words (assay ops, assay programs).
 */
#ifndef HN_RUN_WORDS_H
#define HN_RUN_WORDS_H

#include "buffer.h"

/* The exit status of the assay run of these words, `run` the first, a line each. Cuts the text up. */
int hn_run_words(struct hn_buffer *words);

#endif
