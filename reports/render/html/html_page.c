/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See html_page.h. Names in double braces in the frame are replaced. A page's policy allows exactly the style and the script
 * that stand in it, by their hash, and no network.
 */
#include "html_page.h"

#include <string.h>

#include "html_parts.h"

/* Made by the build of the files of ../page/; NUL-terminated. */
extern const char rp_page_frame[], rp_page_style[], rp_page_style_hash[], rp_page_script[],
    rp_page_script_hash[], rp_page_operators[], rp_page_operators_hash[];

const struct rp_script rp_report_script = {rp_page_script, rp_page_script_hash};
const struct rp_script rp_operators_script = {rp_page_operators, rp_page_operators_hash};

void rp_html_page_init(struct rp_html_page *page, size_t limit)
{
    hn_buffer_init(&page->text, limit);
    hn_buffer_init(&page->data, limit);
}

static int is_called(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && memcmp(known, name, length) == 0;
}

static void put_part(const struct rp_html_page *page, const char *name, size_t length,
                     struct hn_buffer *out)
{
    const struct {
        const char *name, *text;
    } parts[] = {{"list", page->list},           {"writer", page->writer},
                 {"style", rp_page_style},       {"style_hash", rp_page_style_hash},
                 {"script", page->script->text}, {"script_hash", page->script->hash}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (is_called(parts[i].name, name, length))
            hn_buffer_puts(out, parts[i].text);
    if (is_called("title", name, length))
        rp_html_text(out, page->title);
    if (is_called("text", name, length))
        rp_html_text(out, page->text.text);
    if (is_called("data", name, length))
        rp_html_json(out, page->data.text, page->data.length);
}

int rp_html_page_write(struct rp_html_page *page, struct hn_buffer *out)
{
    const char *rest = rp_page_frame;
    int status = page->text.status ? page->text.status : page->data.status;

    for (const char *open; (open = strstr(rest, "{{"));) {
        const char *name = open + 2, *close = strstr(open, "}}");
        hn_buffer_add(out, rest, (size_t)(open - rest));
        put_part(page, name, (size_t)(close - name), out);
        rest = close + 2;
    }
    hn_buffer_puts(out, rest);
    hn_buffer_finish(&page->text);
    hn_buffer_finish(&page->data);
    return status ? status : out->status;
}
