/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of formats of a matrix of operators.
 */
#include "render_operators.h"

const struct rp_operator_format rp_operator_formats[] = {{"text", rp_operators_text},
                                                         {"json", rp_operators_json},
                                                         {"csv", rp_operators_csv},
                                                         {"html", rp_operators_html}};
const size_t rp_operator_format_count = sizeof rp_operator_formats / sizeof *rp_operator_formats;
