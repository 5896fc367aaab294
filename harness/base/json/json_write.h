/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes JSON into a bounded buffer, one call per value. Always valid JSON and valid UTF-8,
 * whatever the text: bytes that are not UTF-8 become U+FFFD. `key` is NULL inside an array and at
 * the top.
 */
#ifndef HN_JSON_WRITE_H
#define HN_JSON_WRITE_H

#include <stdint.h>

#include "buffer.h"
#include "texts.h"

struct hn_json_writer {
    struct hn_buffer *out;
    int depth;
    uint64_t has_items; /* bit per level: a comma is due */
    int indent;         /* 0: one line (journals); else spaces per level */
};

void hn_write_begin(struct hn_json_writer *writer, struct hn_buffer *out, int indent);
/* The buffer's status: one test at the end is enough. Every array and object must be closed. */
int hn_write_end(struct hn_json_writer *writer);

/* A document of its own: an object with its schema (NULL: none) as first member. The end closes it
 * with a newline and is the buffer's status. */
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
/* Six significant digits at most; not finite writes null. */
void hn_write_number(struct hn_json_writer *writer, const char *key, double value);
void hn_write_boolean(struct hn_json_writer *writer, const char *key, int value);
void hn_write_null(struct hn_json_writer *writer, const char *key);

#endif
