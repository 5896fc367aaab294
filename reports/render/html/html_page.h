/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of page/, as the build put them into the program (cmake/EmbedPage.cmake). Used by
 * render_html.c, plain_page.c and html_fill.c alone.
 */
#ifndef RP_HTML_PAGE_H
#define RP_HTML_PAGE_H

extern const char rp_page_frame[]; /* NUL-terminated, as the others */
extern const char rp_page_plain[];
extern const char rp_page_style[];
extern const char rp_page_style_hash[]; /* "sha256-..." as a content security policy has it */
extern const char rp_page_script[];
extern const char rp_page_script_hash[];

#endif
