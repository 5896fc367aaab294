/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats of a diff, one function each, in one table, like those of a report in render.h.
 */
#ifndef RP_RENDER_DIFF_H
#define RP_RENDER_DIFF_H

#include "buffer.h"
#include "run_diff.h"

struct rp_diff_format {
    const char *name;
    int (*render)(const struct rp_diff *diff, int colour, struct hn_buffer *out);
};

extern const struct rp_diff_format rp_diff_formats[];
extern const size_t rp_diff_format_count;

int rp_diff_text(const struct rp_diff *diff, int colour, struct hn_buffer *out);
int rp_diff_json(const struct rp_diff *diff, int colour, struct hn_buffer *out);
int rp_diff_markdown(const struct rp_diff *diff, int colour, struct hn_buffer *out);

#endif
