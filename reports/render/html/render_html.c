/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The HTML report: one file that needs nothing else. Its script makes the page of the data in it; a reader without a
 * script gets the text report. ../page/report.html is the frame, with names in double braces where a part goes.
 */
#include "html_fill.h"
#include "html_page.h"
#include "html_parts.h"
#include "render.h"

#define TEXT_LIMIT ((size_t)64 << 20)

static void put_title(const void *context, struct hn_buffer *out)
{
    const struct rp_set *set = context;

    if (set->run_count > 1)
        hn_buffer_printf(out, "%zu runs side by side", set->run_count);
    else
        rp_html_text(out, set->labels[0]);
}

static void put_text(const void *context, struct hn_buffer *out)
{
    static const struct rp_options options = {0};
    const struct rp_set *set = context;
    struct hn_buffer text;

    hn_buffer_init(&text, TEXT_LIMIT);
    if (rp_render_text(set->runs, set->run_count, &options, &text) == HN_OK)
        rp_html_text(out, text.text);
    hn_buffer_finish(&text);
}

static void put_data(const void *context, struct hn_buffer *out)
{
    rp_html_data(context, out);
}

int rp_render_html(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
    static const struct rp_part parts[] = {
        {"title", put_title}, {"text", put_text}, {"data", put_data}};
    struct rp_set *set;
    struct hn_error error;
    const int status = rp_set_make(runs, count, &set, &error);

    (void)options;
    if (status)
        return status;
    rp_html_fill(rp_page_frame, parts, sizeof parts / sizeof *parts, set, out);
    rp_set_destroy(set);
    return out->status;
}
