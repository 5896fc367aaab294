/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The HTML report: html_data.c makes the data, and the text is the text report.
 */
#include <stdio.h>

#include "html_page.h"
#include "html_parts.h"
#include "render.h"

#define PAGE_LIMIT ((size_t)192 << 20)

int rp_render_html(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out)
{
    static const struct rp_options plain = {0};
    struct rp_set *set;
    struct hn_error error;
    char title[64];
    int status = rp_set_make(runs, count, &set, &error);
    (void)options;
    if (status)
        return status;
    snprintf(title, sizeof title, "%zu runs side by side", count);
    struct rp_html_page page = {.writer = "assay report",
                                .title = count > 1 ? title : set->labels[0],
                                .list = rp_page_list,
                                .script = &rp_report_script};
    rp_html_page_init(&page, PAGE_LIMIT);
    status = rp_render_text(runs, count, &plain, &page.text);
    rp_html_data(set, &page.data);
    const int written = rp_html_page_write(&page, out);
    rp_set_destroy(set);
    return status ? status : written;
}
