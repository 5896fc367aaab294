/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See help_text.h.
 */
#include "help_text.h"

#include <string.h>

#define WIDTH 80
#define LIMIT 16384
#define INDENT 29 /* column at which the description of an option starts */

/* Adds words up to the end of the paragraph; every later line begins with `indent` spaces. */
static const char *add_words(struct hn_buffer *out, const char *text, int column, int indent)
{
    int first = 1;
    while (*text && !(text[0] == '\n' && strchr("\n ", text[1]))) {
        text += strspn(text, " \n");
        const int word = (int)strcspn(text, " \n");
        if (!first && column + 1 + word > WIDTH) {
            hn_buffer_printf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            hn_buffer_putc(out, ' ');
            column++;
        }
        hn_buffer_add(out, text, (size_t)word);
        column += word;
        text += word;
        first = 0;
    }
    return text;
}

void hn_help_wrap(struct hn_buffer *out, const char *text)
{
    while (*text) {
        const size_t line = strcspn(text, "\n");
        if (*text == ' ' || line == 0) {
            hn_buffer_add(out, text, line);
            text += line;
        } else {
            text = add_words(out, text, 0, 0);
        }
        text += *text == '\n';
        hn_buffer_putc(out, '\n');
    }
}

char hn_option_letter(const char *name)
{
    static const struct {
        char letter;
        const char *name;
    } letters[] = {{'o', "output"}, {'x', "fail-fast"}, {'k', "match"}};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strcmp(letters[i].name, name) == 0)
            return letters[i].letter;
    return 0;
}

static void add_option(struct hn_buffer *out, const struct hn_option *option)
{
    const char letter = hn_option_letter(option->name);
    const size_t start = out->length;
    hn_buffer_puts(out, "  ");
    if (letter)
        hn_buffer_printf(out, "-%c, ", letter);
    hn_buffer_printf(out, "--%s %s", option->name, option->value ? option->value : "");
    const int used = (int)(out->length - start);
    if (used >= INDENT)
        hn_buffer_printf(out, "\n%*s", INDENT, "");
    else
        hn_buffer_printf(out, "%*s", INDENT - used, "");
    add_words(out, option->help, INDENT, INDENT);
    hn_buffer_putc(out, '\n');
}

void hn_help_print(const struct hn_command *command, FILE *out)
{
    static const struct hn_option help = {"help", NULL, "print this text"};
    struct hn_buffer text;
    hn_buffer_init(&text, LIMIT);
    hn_buffer_printf(&text, "assay %s: ", command->name);
    add_words(&text, command->summary, (int)text.length, 0);
    hn_buffer_puts(&text, "\n\nUsage: ");
    const int column = (int)strlen("Usage: assay  ") + (int)strlen(command->name);
    hn_buffer_printf(&text, "assay %s ", command->name);
    add_words(&text, command->usage, column, column);
    hn_buffer_puts(&text, "\n\n");
    hn_help_wrap(&text, command->help);
    hn_buffer_puts(&text, "\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++)
        add_option(&text, &command->options[i]);
    add_option(&text, &help);
    fputs(text.text, out);
    hn_buffer_finish(&text);
}
