/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A self-contained page: a frame, a script, and the data from which the script builds the page.
 * A reader without scripts gets a text. Called by render_html.c and html_operators.c. The build
 * embeds the files of ../page/ into the program (cmake/EmbedPage.cmake).
 */
#ifndef RP_HTML_PAGE_H
#define RP_HTML_PAGE_H

#include "buffer.h"

struct rp_script {
    const char *text, *hash; /* the hash in the form of a content security policy, "sha256-..." */
};
extern const struct rp_script rp_report_script, rp_operators_script;
extern const char rp_page_list[]; /* part of the page that its script fills with checks */

struct rp_html_page {
    const char *writer, *title; /* the title is untrusted text */
    const char *list;
    const struct rp_script *script;
    struct hn_buffer text, data; /* raw text; the page's data as JSON */
};

void rp_html_page_init(struct rp_html_page *page, size_t limit);
/* Writes and finishes the page. Returns HN_OK or the first failure of a buffer. */
int rp_html_page_write(struct rp_html_page *page, struct hn_buffer *out);

#endif
