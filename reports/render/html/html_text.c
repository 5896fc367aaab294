/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Untrusted text in a page: see html_parts.h. All texts of checks must pass through here.
 */
#include <string.h>

#include "html_parts.h"
#include "markup_escape.h"
#include "terminal.h"

#define TEXT_MOST ((size_t)1 << 20)

void rp_html_text(struct hn_buffer *out, const char *text)
{
    rp_markup_text(out, text, RP_KEEP_LINES, TEXT_MOST);
}

static void put_escape(struct hn_buffer *out, unsigned character)
{
    if (character > 0xffff) {
        hn_buffer_printf(out, "\\u%04x", 0xd7c0 + (character >> 10));
        character = 0xdc00 + (character & 0x3ff);
    }
    hn_buffer_printf(out, "\\u%04x", character);
}

void rp_html_json(struct hn_buffer *out, const char *json, size_t length)
{
    size_t from = 0; /* start of a part that needs no escape */
    for (size_t i = 0; i < length;) {
        unsigned character = 0;
        const size_t size = hn_utf8_decode(json + i, length - i, &character);
        if (size > 1 || strchr("<>&#", json[i])) {
            hn_buffer_add(out, json + from, i - from);
            put_escape(out, character);
            from = i + size;
        }
        i += size ? size : 1;
    }
    hn_buffer_add(out, json + from, length - from);
}
