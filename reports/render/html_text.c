/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Foreign text in a page: see html_parts.h. Everything a check says passes through here.
 */
#include <string.h>

#include "html_parts.h"
#include "terminal.h"

#define TEXT_LIMIT ((size_t)16 << 20)

static const char *const entities[256] = {
    ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"};
static const char *const escapes[256] = {['<'] = "\\u003c", ['>'] = "\\u003e", ['&'] = "\\u0026"};

/* Copies what is harmless in long pieces. */
static void replace(struct hn_buffer *out, const char *text, size_t length,
                    const char *const *substitutes)
{
    size_t from = 0;

    for (size_t i = 0; i < length; i++) {
        const char *substitute = substitutes[(unsigned char)text[i]];
        if (!substitute)
            continue;
        hn_buffer_add(out, text + from, i - from);
        hn_buffer_puts(out, substitute);
        from = i + 1;
    }
    hn_buffer_add(out, text + from, length - from);
}

void rp_html_text(struct hn_buffer *out, const char *text)
{
    struct hn_buffer visible;

    hn_buffer_init(&visible, TEXT_LIMIT);
    hn_terminal_filter(&visible, text, strlen(text));
    replace(out, visible.text, visible.length, entities);
    hn_buffer_finish(&visible);
}

void rp_html_json(struct hn_buffer *out, const char *json, size_t length)
{
    replace(out, json, length, escapes);
}

void rp_html_verdict(struct hn_buffer *out, enum hn_verdict verdict)
{
    const char *name = hn_verdict_table[verdict].name;

    hn_buffer_printf(out, "<span class=\"v %s\">%s</span>", name, name);
}
