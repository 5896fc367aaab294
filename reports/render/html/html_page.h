/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A page that needs nothing else: a frame, a script, and the data that the script makes the page of. A reader without a
 * script gets a text. Used by render_html.c and html_operators.c. The files of ../page/ stand in the program
 * (cmake/EmbedPage.cmake).
 */
#ifndef RP_HTML_PAGE_H
#define RP_HTML_PAGE_H

#include "buffer.h"

struct rp_script {
    const char *text, *hash; /* the hash as a content security policy has it, "sha256-..." */
};
extern const struct rp_script rp_report_script, rp_operators_script;
extern const char rp_page_list[]; /* the part of the report that its script fills with checks */

struct rp_html_page {
    const char *writer, *title; /* the title is foreign text */
    const char *list;
    const struct rp_script *script;
    struct hn_buffer text, data; /* raw text, and JSON */
};

void rp_html_page_init(struct rp_html_page *page, size_t limit);
/* The page, made of what is in it. HN_OK or the first failure of a buffer; finishes the page. */
int rp_html_page_write(struct rp_html_page *page, struct hn_buffer *out);

#endif
