/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Foreign text in a page: see html_parts.h. Everything a check says passes through here.
 */
#include <string.h>

#include "html_parts.h"
#include "markup_escape.h"

#define TEXT_MOST ((size_t)1 << 20)

void rp_html_text(struct hn_buffer *out, const char *text)
{
    rp_markup_text(out, text, RP_KEEP_LINES, TEXT_MOST);
}

void rp_html_put(struct hn_buffer *out, const char *before, const char *text, const char *after)
{
    hn_buffer_puts(out, before);
    rp_html_text(out, text);
    hn_buffer_puts(out, after);
}

void rp_html_json(struct hn_buffer *out, const char *json, size_t length)
{
    static const char *const escapes[256] = {
        ['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026"};
    size_t from = 0; /* of a piece that is harmless as it is */

    for (size_t i = 0; i < length; i++) {
        const char *escape = escapes[(unsigned char)json[i]];
        if (!escape)
            continue;
        hn_buffer_add(out, json + from, i - from);
        hn_buffer_puts(out, escape);
        from = i + 1;
    }
    hn_buffer_add(out, json + from, length - from);
}

void rp_html_verdict(struct hn_buffer *out, enum hn_verdict verdict)
{
    const char *name = hn_verdict_table[verdict].name;

    hn_buffer_printf(out, "<span class=\"v %s\">%s</span>", name, name);
}
