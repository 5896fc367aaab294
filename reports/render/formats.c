/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of formats. A new one is a file with one function, a line in render.h and a row here.
 */
#include "render.h"

const struct rp_format rp_formats[] = {
    {"text", 1, rp_render_text},
    {"json", 0, rp_render_json},
};
const size_t rp_format_count = sizeof rp_formats / sizeof *rp_formats;
