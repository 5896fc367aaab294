/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See clean_text.h. Called by every file in this folder that writes sentences.
 */
#include "clean_text.h"

#include <stdlib.h>
#include <string.h>

#include "terminal.h"

#define ID_MAX 200

static int is_space(char byte)
{
    return byte == '\n' || byte == '\r' || byte == '\t';
}

int ci_clean(struct hn_buffer *out, const char *text, size_t most)
{
    const size_t whole = strlen(text);
    const int is_cut = whole > most;
    size_t length = is_cut ? most : whole;
    /* Moves the cut back if it is in the middle of a character. */
    while (length && length < whole && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    while (length && is_space(text[length - 1]))
        length--;
    for (size_t at = 0; at < length;) {
        size_t piece = 0;
        while (at + piece < length && !is_space(text[at + piece]))
            piece++;
        hn_terminal_filter(out, text + at, piece);
        at += piece;
        if (at < length)
            hn_buffer_putc(out, ' ');
        while (at < length && is_space(text[at]))
            at++;
    }
    return is_cut ? hn_buffer_puts(out, " ...") : out->status;
}

const char *ci_clean_copy(struct hn_arena *arena, const char *text, size_t most)
{
    struct hn_buffer clean;
    /* One byte of text becomes at most six bytes. */
    hn_buffer_init(&clean, 8 * most + 16);
    ci_clean(&clean, text, most);
    const char *copy = hn_arena_copy(arena, clean.text, clean.length);
    hn_buffer_finish(&clean);
    return copy;
}

int ci_markdown(struct hn_buffer *out, const char *text)
{
    /* Dots and underscores are not escaped: ids contain many of them, and neither makes a link
     * without "://". */
    static const char special[] = "<>&\"'`*~[](){}!|#@\\:/$=^";
    for (; *text; text++)
        if (strchr(special, *text))
            hn_buffer_printf(out, "&#%d;", *text);
        else
            hn_buffer_putc(out, *text);
    return out->status;
}

int ci_code(struct hn_buffer *out, const char *text)
{
    hn_buffer_putc(out, '`');
    for (; *text; text++)
        hn_buffer_putc(out, *text == '`' ? '\'' : *text);
    return hn_buffer_putc(out, '`');
}

int ci_is_check_id(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && length <= ID_MAX &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.") == length;
}
