/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See plain_page.h; the frame is ../page/plain.html.
 */
#include "plain_page.h"

#include "html_fill.h"
#include "html_page.h"

#define PAGE_LIMIT ((size_t)64 << 20)

void rp_plain_page_init(struct rp_plain_page *page, const char *title)
{
    page->title = title;
    hn_buffer_init(&page->head, PAGE_LIMIT);
    hn_buffer_init(&page->body, PAGE_LIMIT);
}

void rp_plain_page_finish(struct rp_plain_page *page)
{
    hn_buffer_finish(&page->head);
    hn_buffer_finish(&page->body);
}

static void put_title(const void *context, struct hn_buffer *out)
{
    rp_html_text(out, ((const struct rp_plain_page *)context)->title);
}

static void put_head(const void *context, struct hn_buffer *out)
{
    const struct rp_plain_page *page = context;

    hn_buffer_add(out, page->head.text, page->head.length);
}

static void put_body(const void *context, struct hn_buffer *out)
{
    const struct rp_plain_page *page = context;

    hn_buffer_add(out, page->body.text, page->body.length);
}

int rp_plain_page_write(const struct rp_plain_page *page, struct hn_buffer *out)
{
    static const struct rp_part parts[] = {
        {"title", put_title}, {"head", put_head}, {"body", put_body}};

    if (page->head.status || page->body.status)
        return page->head.status ? page->head.status : page->body.status;
    rp_html_fill(rp_page_plain, parts, sizeof parts / sizeof *parts, page, out);
    return out->status;
}

void rp_plain_table_open(struct hn_buffer *out, const char *id, const char *title, const char *note,
                         const char *const *columns)
{
    hn_buffer_printf(out,
                     "<section aria-labelledby=\"%s\">\n<div class=\"section-head\">"
                     "<h2 id=\"%s\">%s</h2></div>\n<p class=\"note\">%s</p>\n"
                     "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">"
                     "<table class=\"matrix many\" aria-labelledby=\"%s\"><thead><tr>",
                     id, id, title, note, id);
    for (size_t i = 0; columns[i]; i++)
        rp_html_put(out, "<th scope=\"col\">", columns[i], "</th>");
    hn_buffer_puts(out, "</tr></thead>\n<tbody>\n");
}

void rp_plain_table_close(struct hn_buffer *out)
{
    hn_buffer_puts(out, "</tbody></table></div>\n</section>\n");
}
