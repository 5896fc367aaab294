/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats of a report: one function each, in one table. A renderer only formats: everything it says
 * is in the model. Same runs in, same bytes out: no clock, no environment, no terminal.
 */
#ifndef RP_RENDER_H
#define RP_RENDER_H

#include "buffer.h"
#include "run_model.h"

struct rp_options {
    int colour; /* text only: ANSI colours */
};

struct rp_format {
    const char *name;
    int several; /* takes more than one run */
    int (*render)(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                  struct hn_buffer *out);
};

extern const struct rp_format rp_formats[];
extern const size_t rp_format_count;

int rp_render_text(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out);
int rp_render_json(const struct rp_run *const *runs, size_t count, const struct rp_options *options,
                   struct hn_buffer *out);

#endif
