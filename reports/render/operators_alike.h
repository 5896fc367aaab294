/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups cells of a matrix of operators in which the same was seen: one defect is often
 * in hundreds of them. For text and page.
 */
#ifndef RP_OPERATORS_ALIKE_H
#define RP_OPERATORS_ALIKE_H

#include "buffer.h"
#include "operator_matrix.h"

/* The names of all ways of asking that came to the same words as this one, "out, in_place", and how
 * many; 0 when one before it does, or when it is right. */
size_t rp_operator_aspects_together(const struct rp_operator_cell *cell, size_t first,
                                    struct hn_buffer *names);

/* The cells whose process ended the same way as this one, "abs float32, add float32 and 4 more", `most` of
 * them by name, and how many; 0 when one before it does. */
size_t rp_operators_ended_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                                size_t most, struct hn_buffer *names);

/* The cells that are right and of which the same was noted as here, as above. */
size_t rp_operators_noted_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                                size_t aspect, size_t most, struct hn_buffer *names);

/* 1: some way of asking was wrong or refused. */
int rp_operator_has_told(const struct rp_operator_cell *cell);

/* 1: asked, and neither a kernel of the backend nor core computes it. */
static inline int rp_operator_is_to_do(const struct rp_used_operator *used)
{
    return used->answer != RP_NATIVE && used->answer != RP_COMPOSED && used->answer != RP_UNASKED;
}

#endif
