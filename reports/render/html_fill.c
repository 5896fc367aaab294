/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See html_fill.h. A page's policy allows exactly the style and the script that stand in it, by
 * their hash, and no network.
 */
#include "html_fill.h"

#include <string.h>

#include "html_page.h"

static void put_style(const void *context, struct hn_buffer *out)
{
    (void)context;
    hn_buffer_add(out, rp_page_style, rp_page_style_size);
}

static void put_style_hash(const void *context, struct hn_buffer *out)
{
    (void)context;
    hn_buffer_puts(out, rp_page_style_hash);
}

static void put_script(const void *context, struct hn_buffer *out)
{
    (void)context;
    hn_buffer_add(out, rp_page_script, rp_page_script_size);
}

static void put_script_hash(const void *context, struct hn_buffer *out)
{
    (void)context;
    hn_buffer_puts(out, rp_page_script_hash);
}

static const struct rp_part own[] = {{"style", put_style},
                                     {"style_hash", put_style_hash},
                                     {"script", put_script},
                                     {"script_hash", put_script_hash}};

static void put_named(const struct rp_part *parts, size_t count, const char *name, size_t length,
                      const void *context, struct hn_buffer *out)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            parts[i].put(context, out);
}

void rp_html_fill(const char *frame, const struct rp_part *parts, size_t count, const void *context,
                  struct hn_buffer *out)
{
    const char *rest = frame;

    for (const char *open; (open = strstr(rest, "{{"));) {
        const char *name = open + 2, *close = strstr(open, "}}");
        hn_buffer_add(out, rest, (size_t)(open - rest));
        put_named(own, sizeof own / sizeof *own, name, (size_t)(close - name), context, out);
        put_named(parts, count, name, (size_t)(close - name), context, out);
        rest = close + 2;
    }
    hn_buffer_puts(out, rest);
}
