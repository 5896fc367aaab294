/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of the HTML report, each written by one function; render_html.c puts them into the page
 * of ../page/report.html. Nothing here knows the page's files.
 */
#ifndef RP_HTML_PARTS_H
#define RP_HTML_PARTS_H

#include "buffer.h"
#include "run_set.h"

/* Foreign text as HTML, in content or a quoted attribute. Control, direction and invisible
 * characters are written out ("\x1b", "\u202e"), so that a reader sees what is there. */
void rp_html_text(struct hn_buffer *out, const char *text);
/* The same between two pieces of markup of our own. */
void rp_html_put(struct hn_buffer *out, const char *before, const char *text, const char *after);
/* JSON for a script element: no "<", ">" or "&" is left in it. */
void rp_html_json(struct hn_buffer *out, const char *json, size_t length);
/* "<span class="v fail">fail</span>" */
void rp_html_verdict(struct hn_buffer *out, enum hn_verdict verdict);

/* Parts of the page; the context is a struct rp_set (html_fill.h). */
void rp_html_title(const void *context, struct hn_buffer *out);
void rp_html_header(const void *context, struct hn_buffer *out);       /* who and what */
void rp_html_first(const void *context, struct hn_buffer *out);        /* causes of failures */
void rp_html_matrix(const void *context, struct hn_buffer *out);       /* modules */
void rp_html_capabilities(const void *context, struct hn_buffer *out); /* by run */
void rp_html_causes(const void *context, struct hn_buffer *out);       /* of PyTorch's own tests */
void rp_html_failures(const void *context, struct hn_buffer *out);     /* without a script */
void rp_html_data(const void *context, struct hn_buffer *out);         /* for the script */

#endif
