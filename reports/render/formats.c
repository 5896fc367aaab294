/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of formats. To add one, add a file with one function, a line in render.h and a row
 * here.
 */
#include "render.h"

const struct rp_format rp_formats[] = {
    {"text", 1, rp_render_text},         {"json", 1, rp_render_json},
    {"html", 1, rp_render_html},         {"junit", 0, rp_render_junit},
    {"shields", 0, rp_render_shields},   {"sarif", 0, rp_render_sarif},
    {"markdown", 1, rp_render_markdown}, {"benchmark", 1, rp_render_benchmark},
    {"relay", 0, rp_render_relay},
};
const size_t rp_format_count = sizeof rp_formats / sizeof *rp_formats;
