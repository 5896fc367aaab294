/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See html_fill.h. A page's policy allows exactly the style and the script that stand in it, by
 * their hash, and no network.
 */
#include "html_fill.h"

#include <string.h>

#include "html_page.h"

static const struct {
    const char *name, *text;
} own[] = {{"style", rp_page_style},
           {"style_hash", rp_page_style_hash},
           {"script", rp_page_script},
           {"script_hash", rp_page_script_hash}};

static int is_called(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

static void put_named(const struct rp_part *parts, size_t count, const char *name, size_t length,
                      const void *context, struct hn_buffer *out)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (is_called(own[i].name, name, length))
            hn_buffer_puts(out, own[i].text);
    for (size_t i = 0; i < count; i++)
        if (is_called(parts[i].name, name, length))
            parts[i].put(context, out);
}

void rp_html_fill(const char *frame, const struct rp_part *parts, size_t count, const void *context,
                  struct hn_buffer *out)
{
    const char *rest = frame;

    for (const char *open; (open = strstr(rest, "{{"));) {
        const char *name = open + 2, *close = strstr(open, "}}");
        hn_buffer_add(out, rest, (size_t)(open - rest));
        put_named(parts, count, name, (size_t)(close - name), context, out);
        rest = close + 2;
    }
    hn_buffer_puts(out, rest);
}
