/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bounded string. Called by all code that builds text. This file depends only on hn_error.h.
 */
#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char nothing[] = ""; /* the empty text, so that `text` is not NULL; never written */

void hn_buffer_init(struct hn_buffer *buffer, size_t limit)
{
    *buffer = (struct hn_buffer){.text = nothing, .limit = limit};
}

void hn_buffer_finish(struct hn_buffer *buffer)
{
    if (buffer->capacity)
        free(buffer->text);
    hn_buffer_init(buffer, buffer->limit);
}

void hn_buffer_clear(struct hn_buffer *buffer)
{
    buffer->length = 0;
    buffer->status = HN_OK;
    if (buffer->capacity)
        buffer->text[0] = '\0';
}

/* Makes room for `more` bytes and the terminator. */
static int reserve(struct hn_buffer *buffer, size_t more)
{
    if (buffer->status)
        return buffer->status;
    if (more > buffer->limit - buffer->length)
        return buffer->status = HN_ELIMIT;
    const size_t needed = buffer->length + more + 1;
    if (needed <= buffer->capacity)
        return HN_OK;
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    char *text = realloc(buffer->capacity ? buffer->text : NULL, capacity);
    if (!text)
        return buffer->status = HN_ENOMEM;
    buffer->text = text;
    buffer->capacity = capacity;
    return HN_OK;
}

int hn_buffer_add(struct hn_buffer *buffer, const char *text, size_t length)
{
    const int status = reserve(buffer, length);
    if (status)
        return status;
    if (length)
        memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = '\0';
    return HN_OK;
}

int hn_buffer_puts(struct hn_buffer *buffer, const char *text)
{
    return hn_buffer_add(buffer, text, strlen(text));
}

int hn_buffer_putc(struct hn_buffer *buffer, char byte)
{
    return hn_buffer_add(buffer, &byte, 1);
}

int hn_buffer_printf(struct hn_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        return buffer->status = HN_EINPUT;
    const int status = reserve(buffer, (size_t)length);
    if (status)
        return status;
    va_start(arguments, format);
    vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)length;
    return HN_OK;
}

int hn_buffer_complain(int status, const char *what, struct hn_error *error)
{
    return status == HN_ENOMEM ? hn_error_nomem(error)
                               : hn_error_set(error, status, "%s is too large", what);
}
