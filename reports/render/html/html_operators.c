/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of operators as a page. The data is the same as in the JSON, and the text is the
 * same as the output of assay ops.
 */
#include "html_page.h"
#include "render_operators.h"

int rp_operators_html(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out)
{
    struct rp_html_page page = {
        .writer = "assay ops", .title = "Operators", .list = "", .script = &rp_operators_script};
    rp_html_page_init(&page, out->limit);
    const int text = rp_operators_text(run, matrix, &page.text);
    const int data = rp_operators_json(run, matrix, &page.data);
    const int written = rp_html_page_write(&page, out);
    return text ? text : data ? data : written;
}
