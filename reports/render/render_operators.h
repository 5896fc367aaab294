/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix of operators (model/operator_matrix.h) as text, JSON, CSV and a page. Called by assay ops.
 */
#ifndef RP_RENDER_OPERATORS_H
#define RP_RENDER_OPERATORS_H

#include "buffer.h"
#include "operator_matrix.h"

struct rp_operator_format {
    const char *name;
    int (*render)(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                  struct hn_buffer *out);
};

extern const struct rp_operator_format rp_operator_formats[];
extern const size_t rp_operator_format_count;

int rp_operators_text(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out);
int rp_operators_json(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out);
int rp_operators_csv(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                     struct hn_buffer *out);
int rp_operators_html(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out);

#endif
