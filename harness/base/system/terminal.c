/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Escapes untrusted text. Called by all code that prints or writes such text. This file depends
 * only on the buffer.
 */
#include "terminal.h"

#include <string.h>

static const struct {
    unsigned first, last;
} dangerous[] = {
    {0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
};

static int is_dangerous(unsigned character)
{
    for (size_t i = 0; i < sizeof dangerous / sizeof *dangerous; i++)
        if (character >= dangerous[i].first && character <= dangerous[i].last)
            return 1;
    return 0;
}

size_t hn_utf8_decode(const char *text, size_t length, unsigned *character)
{
    static const unsigned lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const size_t size = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
    if (size == 0 || size > length)
        return 0;
    unsigned value = size == 1 ? first : first & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (next & 0x3fu);
    }
    if (value < lowest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *character = value;
    return size;
}

/* Text that a GitHub runner parses as a command: "##[word]" anywhere, "::word" at the beginning
 * of a line. Any word may begin a line when a text is wrapped. */
static int begins_command(const char *text, size_t length, int word_begins)
{
    return (length >= 3 && text[0] == '#' && text[1] == '#' && text[2] == '[') ||
           (word_begins && length >= 2 && text[0] == ':' && text[1] == ':');
}

int hn_terminal_filter(struct hn_buffer *out, const char *text, size_t length)
{
    int word_begins = 1;
    for (size_t i = 0; i < length;) {
        unsigned character = 0;
        const size_t size = hn_utf8_decode(text + i, length - i, &character);
        const int command = begins_command(text + i, length - i, word_begins);
        word_begins = text[i] == '\n' || text[i] == ' ' || text[i] == '\t';
        if (command || size == 0)
            hn_buffer_printf(out, "\\x%02x", (unsigned char)text[i]);
        else if (!is_dangerous(character))
            hn_buffer_add(out, text + i, size);
        else
            hn_buffer_printf(out, character < 0x100 ? "\\x%02x" : "\\u%04x", character);
        i += size ? size : 1;
    }
    return out->status;
}

int hn_terminal_puts(struct hn_buffer *out, const char *text)
{
    return hn_terminal_filter(out, text, strlen(text));
}

void hn_terminal_print(FILE *out, const char *text)
{
    struct hn_buffer clean;
    hn_buffer_init(&clean, (size_t)1 << 20);
    hn_terminal_puts(&clean, text);
    fputs(clean.text, out);
    hn_buffer_finish(&clean);
}

void hn_terminal_put(struct hn_buffer *out, const char *before, const char *text, const char *after)
{
    hn_buffer_puts(out, before);
    hn_terminal_puts(out, text);
    hn_buffer_puts(out, after);
}
