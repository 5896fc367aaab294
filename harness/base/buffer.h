/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A string that grows up to the limit given at creation. If a text does not fit, the buffer keeps
 * the error, so a caller can test for it once, after the last write.
 */
#ifndef HN_BUFFER_H
#define HN_BUFFER_H

#include <stddef.h>

#include "hn_error.h"

struct hn_buffer {
    char *text;    /* always NUL-terminated, "" when empty; NUL bytes may be inside */
    size_t length; /* without the terminator */
    size_t limit, capacity;
    int status; /* HN_OK, or the first failure: HN_ELIMIT, HN_ENOMEM */
};

void hn_buffer_init(struct hn_buffer *buffer, size_t limit);
/* Frees the memory; the buffer may be used again with the same limit. */
void hn_buffer_finish(struct hn_buffer *buffer);
/* Removes the text and the error, but keeps the memory. */
void hn_buffer_clear(struct hn_buffer *buffer);

/* Returns HN_OK or the first failure of the buffer. A text that does not fit is not added at
 * all. */
int hn_buffer_add(struct hn_buffer *buffer, const char *text, size_t length);
int hn_buffer_puts(struct hn_buffer *buffer, const char *text);
int hn_buffer_putc(struct hn_buffer *buffer, char byte);
int hn_buffer_printf(struct hn_buffer *buffer, const char *format, ...) HN_PRINTF(2, 3);

/* Writes why the buffer could not hold `what` ("the report"): it is too large, or there was no
 * memory. Returns `status`. */
int hn_buffer_complain(int status, const char *what, struct hn_error *error);

#endif
