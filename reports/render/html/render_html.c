/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The HTML report: one file that needs nothing else. ../page/report.html has the frame, with names in
 * double braces where a part goes.
 */
#include "html_fill.h"
#include "html_page.h"
#include "html_parts.h"
#include "render.h"

static const struct rp_part parts[] = {
    {"title", rp_html_title},
    {"header", rp_html_header},
    {"first", rp_html_first},
    {"matrix", rp_html_matrix},
    {"capabilities", rp_html_capabilities},
    {"causes", rp_html_causes},
    {"failures", rp_html_failures},
    {"data", rp_html_data},
};

int rp_render_html(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
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
