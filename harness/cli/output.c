/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Printing of the sub-commands. Knows no sub-command.
 */
#include "output.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "file.h"

#define WIDTH 96

void hn_output_begin(struct hn_json_writer *writer, struct hn_buffer *buffer, const char *schema)
{
    hn_buffer_init(buffer, HN_OUTPUT_LIMIT);
    hn_write_begin(writer, buffer, 1);
    hn_write_object(writer, NULL);
    hn_write_text(writer, "schema", schema);
}

int hn_output_end(struct hn_json_writer *writer)
{
    struct hn_buffer *buffer = writer->out;
    int status = HN_EXIT_OK;

    hn_write_object_end(writer);
    hn_buffer_putc(buffer, '\n');
    if (hn_write_end(writer)) {
        struct hn_error error;
        hn_error_set(&error, buffer->status, "the output is too large");
        status = hn_print_error(&error);
    } else if (fwrite(buffer->text, 1, buffer->length, stdout) != buffer->length) {
        status = HN_EXIT_SYSTEM;
    }
    hn_buffer_finish(buffer);
    return status;
}

int hn_output_deliver(const char *path, const struct hn_buffer *text)
{
    struct hn_error error;

    if (path && hn_file_write(path, text->text, text->length, &error))
        return hn_print_error(&error);
    if (!path && fwrite(text->text, 1, text->length, stdout) != text->length)
        return HN_EXIT_SYSTEM;
    return HN_EXIT_OK;
}

void hn_output_texts(struct hn_json_writer *writer, const char *key, const struct hn_texts *texts)
{
    hn_write_array(writer, key);
    for (size_t i = 0; i < texts->count; i++)
        hn_write_text(writer, NULL, texts->items[i]);
    hn_write_array_end(writer);
}

void hn_output_wrapped(const char *label, int indent, const char *text)
{
    int column = printf("%-*s", indent, label);

    while (*text) {
        const int word = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + word > WIDTH)
            column = printf("\n%*s", indent, "") - 1;
        column += printf("%s%.*s", column > indent ? " " : "", word, text);
        text += word;
        text += strspn(text, " \n");
    }
    putchar('\n');
}
