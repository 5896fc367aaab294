/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints results of the sub-commands. This file must not depend on any sub-command.
 */
#include "output.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "file.h"
#include "terminal.h"

#define WIDTH 96

void hn_output_begin(struct hn_json_writer *writer, struct hn_buffer *buffer, const char *schema)
{
    hn_buffer_init(buffer, HN_OUTPUT_LIMIT);
    hn_write_document(writer, buffer, schema);
}

int hn_output_end(struct hn_json_writer *writer)
{
    return hn_output_deliver(NULL, writer->out, hn_write_document_end(writer), "the output");
}

int hn_output_deliver(const char *path, struct hn_buffer *text, int status, const char *what)
{
    struct hn_error error;
    if (status)
        hn_buffer_complain(status, what, &error);
    else if (path)
        status = hn_file_output(path, text->text, text->length, &error);
    else if (fwrite(text->text, 1, text->length, stdout) != text->length)
        status = hn_error_set(&error, HN_ESYSTEM, "%s cannot be printed", what);
    hn_buffer_finish(text);
    return status ? hn_print_error(&error) : HN_EXIT_OK;
}

void hn_output_wrapped(const char *label, int indent, const char *text)
{
    struct hn_buffer clean;
    hn_buffer_init(&clean, HN_OUTPUT_LIMIT);
    hn_terminal_puts(&clean, label);
    int column = printf("%-*s", indent, clean.text);

    hn_buffer_clear(&clean);
    hn_terminal_puts(&clean, text);
    text = clean.text;
    while (*text) {
        const int word = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + word > WIDTH)
            column = printf("\n%*s", indent, "") - 1;
        column += printf("%s%.*s", column > indent ? " " : "", word, text);
        text += word;
        text += strspn(text, " \n");
    }
    putchar('\n');
    hn_buffer_finish(&clean);
}
