/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Formats of a report: one function each, in one table. A renderer must only format: all its
 * facts come from the model. Equal runs give equal bytes, so a renderer must not use the clock,
 * the environment or the terminal.
 */
#ifndef RP_RENDER_H
#define RP_RENDER_H

#include "buffer.h"
#include "run_model.h"

struct rp_options {
    int colour;       /* text only: ANSI colours */
    const char *link; /* address of the whole report; NULL: unknown */
};

typedef int rp_renderer(const struct rp_run *const *runs, size_t count,
                        const struct rp_options *options, struct hn_buffer *out);

struct rp_format {
    const char *name;
    int several; /* the format supports several runs */
    rp_renderer *render;
};

extern const struct rp_format rp_formats[];
extern const size_t rp_format_count;

rp_renderer rp_render_text, rp_render_json, rp_render_html, rp_render_junit, rp_render_shields,
    rp_render_sarif, rp_render_markdown, rp_render_benchmark, rp_render_relay;

/* Writes the path below test/test-reports at which PyTorch's uploader looks for a run's JUnit
 * file. The dashboards show the folder's name as the invoking file. HN_ELIMIT: the path does not
 * fit. */
int rp_junit_path(const struct rp_run *run, char *path, size_t size);

#endif
