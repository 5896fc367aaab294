/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Escaping for XML and HTML on top of the terminal filter, which has already escaped control
 * characters, direction marks and bytes that are not UTF-8.
 */
#include "markup_escape.h"

#include <string.h>

#include "terminal.h"

static const char *entity_of(char byte)
{
    static const struct {
        char byte;
        const char *entity;
    } table[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].byte == byte)
            return table[i].entity;
    return NULL;
}

/* U+FFFE and U+FFFF are well-formed UTF-8 but not allowed in XML 1.0. */
static int is_no_character(const char *text)
{
    return memcmp(text, "\xef\xbf", 2) == 0 && (unsigned char)text[2] >= 0xbe;
}

static void escape(struct hn_buffer *out, const char *text, size_t length, enum rp_lines lines)
{
    for (size_t i = 0; i < length; i++) {
        const char *entity = entity_of(text[i]);
        if (entity) {
            hn_buffer_puts(out, entity);
        } else if (lines == RP_ONE_LINE && (text[i] == '\n' || text[i] == '\t')) {
            hn_buffer_putc(out, ' ');
        } else if (i + 2 < length && is_no_character(text + i)) {
            hn_buffer_printf(out, "\\u%s", (unsigned char)text[i + 2] == 0xbe ? "fffe" : "ffff");
            i += 2;
        } else {
            hn_buffer_putc(out, text[i]);
        }
    }
}

int rp_markup_text(struct hn_buffer *out, const char *text, enum rp_lines lines, size_t most)
{
    const size_t whole = strlen(text);
    size_t length = whole < most ? whole : most;
    struct hn_buffer safe;
    while (length < whole && length && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    hn_buffer_init(&safe, 6 * length + 16);
    hn_terminal_filter(&safe, text, length);
    if (safe.status)
        out->status = safe.status;
    else
        escape(out, safe.text, safe.length, lines);
    if (length < whole)
        hn_buffer_puts(out, "[...]");
    hn_buffer_finish(&safe);
    return out->status;
}
