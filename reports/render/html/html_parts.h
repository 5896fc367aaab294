/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes untrusted text and data into an HTML page. Called by the files that make pages.
 */
#ifndef RP_HTML_PARTS_H
#define RP_HTML_PARTS_H

#include "buffer.h"
#include "run_set.h"

/* Untrusted text as HTML, in content or a quoted attribute. Control, direction and invisible
 * characters are escaped visibly ("\x1b", "\u202e"). */
void rp_html_text(struct hn_buffer *out, const char *text);
/* JSON for a script element: only ASCII, without "<", ">", "&" and "#" (GitHub executes "##[" in
 * the log of a workflow as a command). */
void rp_html_json(struct hn_buffer *out, const char *json, size_t length);

/* The data of the report, as JSON for its script. out->status reports a failure. */
void rp_html_data(const struct rp_set *set, struct hn_buffer *out);

#endif
