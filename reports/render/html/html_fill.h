/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A frame of page/ with its parts: names in double braces are replaced. Used by render_html.c and
 * plain_page.c.
 */
#ifndef RP_HTML_FILL_H
#define RP_HTML_FILL_H

#include <stddef.h>

#include "buffer.h"

struct rp_part {
    const char *name;
    void (*put)(const void *context, struct hn_buffer *out);
};

/* Style and script are known here; `parts` are the others. A name that nobody knows is left out. */
void rp_html_fill(const char *frame, const struct rp_part *parts, size_t count, const void *context,
                  struct hn_buffer *out);

#endif
