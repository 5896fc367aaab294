/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streaming JSON writer. Called by the journal and by all machine-readable output.
 */
#include "json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "terminal.h"

#define DEEPEST 63

void hn_write_begin(struct hn_json_writer *writer, struct hn_buffer *out, int indent)
{
    *writer = (struct hn_json_writer){.out = out, .indent = indent};
}

int hn_write_end(struct hn_json_writer *writer)
{
    assert(writer->depth == 0);
    return writer->out->status;
}

static void new_line(struct hn_json_writer *writer)
{
    if (writer->indent)
        hn_buffer_printf(writer->out, "\n%*s", writer->indent * writer->depth, "");
}

static void write_character(struct hn_buffer *out, const char *text, size_t size,
                            unsigned character)
{
    static const char *const escapes[] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r",
    };
    if (character < sizeof escapes / sizeof *escapes && escapes[character])
        hn_buffer_puts(out, escapes[character]);
    else if (character < 0x20 || character == 0x7f)
        hn_buffer_printf(out, "\\u%04x", character);
    else
        hn_buffer_add(out, text, size);
}

static void write_quoted(struct hn_buffer *out, const char *text, size_t length)
{
    hn_buffer_putc(out, '"');
    for (size_t i = 0; i < length;) {
        unsigned character = 0;
        const size_t size = hn_utf8_decode(text + i, length - i, &character);
        if (size)
            write_character(out, text + i, size, character);
        else
            hn_buffer_puts(out, "\xef\xbf\xbd");
        i += size ? size : 1;
    }
    hn_buffer_putc(out, '"');
}

/* Writes comma, line break and key, which come before every value. */
static void lead(struct hn_json_writer *writer, const char *key)
{
    const uint64_t level = (uint64_t)1 << writer->depth;
    if (writer->has_items & level)
        hn_buffer_putc(writer->out, ',');
    if (writer->depth)
        new_line(writer);
    writer->has_items |= level;
    if (key) {
        write_quoted(writer->out, key, strlen(key));
        hn_buffer_puts(writer->out, writer->indent ? ": " : ":");
    }
}

static void open_level(struct hn_json_writer *writer, const char *key, char bracket)
{
    lead(writer, key);
    hn_buffer_putc(writer->out, bracket);
    assert(writer->depth < DEEPEST);
    writer->depth++;
    writer->has_items &= ~((uint64_t)1 << writer->depth);
}

static void close_level(struct hn_json_writer *writer, char bracket)
{
    const uint64_t level = (uint64_t)1 << writer->depth;
    assert(writer->depth > 0);
    writer->depth--;
    if (writer->has_items & level)
        new_line(writer);
    hn_buffer_putc(writer->out, bracket);
}

void hn_write_object(struct hn_json_writer *writer, const char *key)
{
    open_level(writer, key, '{');
}

void hn_write_object_end(struct hn_json_writer *writer)
{
    close_level(writer, '}');
}

void hn_write_document(struct hn_json_writer *writer, struct hn_buffer *out, const char *schema)
{
    hn_write_begin(writer, out, 1);
    hn_write_object(writer, NULL);
    if (schema)
        hn_write_text(writer, "schema", schema);
}

int hn_write_document_end(struct hn_json_writer *writer)
{
    hn_write_object_end(writer);
    hn_buffer_putc(writer->out, '\n');
    return hn_write_end(writer);
}

void hn_write_array(struct hn_json_writer *writer, const char *key)
{
    open_level(writer, key, '[');
}

void hn_write_array_end(struct hn_json_writer *writer)
{
    close_level(writer, ']');
}

void hn_write_texts(struct hn_json_writer *writer, const char *key, const struct hn_texts *texts)
{
    hn_write_array(writer, key);
    for (size_t i = 0; i < texts->count; i++)
        hn_write_text(writer, NULL, texts->items[i]);
    hn_write_array_end(writer);
}

void hn_write_bytes(struct hn_json_writer *writer, const char *key, const char *text, size_t length)
{
    lead(writer, key);
    write_quoted(writer->out, text, length);
}

void hn_write_text(struct hn_json_writer *writer, const char *key, const char *text)
{
    if (text)
        hn_write_bytes(writer, key, text, strlen(text));
    else
        hn_write_null(writer, key);
}

void hn_write_integer(struct hn_json_writer *writer, const char *key, int64_t value)
{
    lead(writer, key);
    hn_buffer_printf(writer->out, "%" PRId64, value);
}

void hn_write_number(struct hn_json_writer *writer, const char *key, double value)
{
    if (!isfinite(value)) {
        hn_write_null(writer, key);
        return;
    }
    lead(writer, key);
    hn_buffer_printf(writer->out, "%.6g", value);
}

void hn_write_boolean(struct hn_json_writer *writer, const char *key, int value)
{
    lead(writer, key);
    hn_buffer_puts(writer->out, value ? "true" : "false");
}

void hn_write_null(struct hn_json_writer *writer, const char *key)
{
    lead(writer, key);
    hn_buffer_puts(writer->out, "null");
}
