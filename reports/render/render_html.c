/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The HTML report: one file that needs nothing else. page/report.html has the frame, with names in
 * double braces where a part goes. Style and script stand in the page; its policy allows exactly
 * these two, by their hash, and no network.
 */
#include <string.h>

#include "html_page.h"
#include "html_parts.h"
#include "render.h"

static void put_style(const struct rp_set *set, struct hn_buffer *out)
{
    (void)set;
    hn_buffer_add(out, rp_page_style, rp_page_style_size);
}

static void put_style_hash(const struct rp_set *set, struct hn_buffer *out)
{
    (void)set;
    hn_buffer_puts(out, rp_page_style_hash);
}

static void put_script(const struct rp_set *set, struct hn_buffer *out)
{
    (void)set;
    hn_buffer_add(out, rp_page_script, rp_page_script_size);
}

static void put_script_hash(const struct rp_set *set, struct hn_buffer *out)
{
    (void)set;
    hn_buffer_puts(out, rp_page_script_hash);
}

static const struct {
    const char *name;
    void (*put)(const struct rp_set *set, struct hn_buffer *out);
} parts[] = {
    {"title", rp_html_title},         {"style", put_style},
    {"style_hash", put_style_hash},   {"script", put_script},
    {"script_hash", put_script_hash}, {"header", rp_html_header},
    {"matrix", rp_html_matrix},       {"capabilities", rp_html_capabilities},
    {"failures", rp_html_failures},   {"data", rp_html_data},
};

static void put_part(const struct rp_set *set, const char *name, size_t length,
                     struct hn_buffer *out)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
            parts[i].put(set, out);
}

static void fill(const struct rp_set *set, struct hn_buffer *out)
{
    const char *rest = rp_page_frame;

    for (const char *open; (open = strstr(rest, "{{"));) {
        const char *close = strstr(open, "}}");
        hn_buffer_add(out, rest, (size_t)(open - rest));
        put_part(set, open + 2, (size_t)(close - open - 2), out);
        rest = close + 2;
    }
    hn_buffer_puts(out, rest);
}

int rp_render_html(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
    struct rp_set *set;
    struct hn_error error;
    const int status = rp_set_make(runs, count, &set, &error);

    (void)options;
    if (status)
        return status;
    fill(set, out);
    rp_set_destroy(set);
    return out->status;
}
