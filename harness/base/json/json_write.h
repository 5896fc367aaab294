/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON into a bounded buffer, one call per value. The output is always valid JSON and valid
 * UTF-8: bytes that are not UTF-8 become U+FFFD. `key` is NULL inside an array and at the top.
 */
#ifndef HN_JSON_WRITE_H
#define HN_JSON_WRITE_H

#include <stdint.h>

#include "buffer.h"
#include "texts.h"

struct hn_json_writer {
    struct hn_buffer *out;
    int depth;
    uint64_t has_items; /* one bit per level: the next value needs a comma before it */
    int indent;         /* spaces per level; 0: everything on one line, as in journals */
};

void hn_write_begin(struct hn_json_writer *writer, struct hn_buffer *out, int indent);
/* Returns the buffer's status: one test at the end is enough. Every array and object must be
 * closed. */
int hn_write_end(struct hn_json_writer *writer);

/* A whole document: an object whose first member is its schema (NULL: none). The end function
 * closes the document with a newline and returns the buffer's status. */
void hn_write_document(struct hn_json_writer *writer, struct hn_buffer *out, const char *schema);
int hn_write_document_end(struct hn_json_writer *writer);

void hn_write_object(struct hn_json_writer *writer, const char *key);
void hn_write_object_end(struct hn_json_writer *writer);
void hn_write_array(struct hn_json_writer *writer, const char *key);
void hn_write_array_end(struct hn_json_writer *writer);
void hn_write_texts(struct hn_json_writer *writer, const char *key, const struct hn_texts *texts);

/* NULL writes null. */
void hn_write_text(struct hn_json_writer *writer, const char *key, const char *text);
void hn_write_bytes(struct hn_json_writer *writer, const char *key, const char *text,
                    size_t length);
void hn_write_integer(struct hn_json_writer *writer, const char *key, int64_t value);
/* At most six significant digits; a value that is not finite is written as null. */
void hn_write_number(struct hn_json_writer *writer, const char *key, double value);
void hn_write_boolean(struct hn_json_writer *writer, const char *key, int value);
void hn_write_null(struct hn_json_writer *writer, const char *key);

#endif
