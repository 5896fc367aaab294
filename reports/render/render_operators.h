/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of operators (model/operator_matrix.h) as text, JSON, CSV and a page. Called by assay ops.
 */
#ifndef RP_RENDER_OPERATORS_H
#define RP_RENDER_OPERATORS_H

#include "buffer.h"
#include "operator_matrix.h"

typedef int rp_operator_renderer(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                                 struct hn_buffer *out);

struct rp_operator_format {
    const char *name;
    rp_operator_renderer *render;
};

extern const struct rp_operator_format rp_operator_formats[];
extern const size_t rp_operator_format_count;

rp_operator_renderer rp_operators_text, rp_operators_json, rp_operators_csv, rp_operators_html;

#endif
