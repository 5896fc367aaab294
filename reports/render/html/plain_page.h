/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A page without a script in the look of the report, for whoever has tables to show: assay prove.
 * Foreign text goes in through rp_html_text only.
 */
#ifndef RP_PLAIN_PAGE_H
#define RP_PLAIN_PAGE_H

#include "buffer.h"
#include "html_parts.h"

struct rp_plain_page {
    const char *title;           /* text */
    struct hn_buffer head, body; /* HTML, made by the caller */
};

void rp_plain_page_init(struct rp_plain_page *page, const char *title);
void rp_plain_page_finish(struct rp_plain_page *page);
/* HN_OK, or the first failure of a buffer. */
int rp_plain_page_write(const struct rp_plain_page *page, struct hn_buffer *out);

/* A section with a table; `columns` are text, NULL at the end. Rows are written between the two. */
void rp_plain_table_open(struct hn_buffer *out, const char *id, const char *title, const char *note,
                         const char *const *columns);
void rp_plain_table_close(struct hn_buffer *out);

#endif
