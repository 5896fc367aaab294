/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups cells of a matrix of operators with the same observation, because one defect often
 * affects hundreds of them. Called by the text and the page.
 */
#ifndef RP_OPERATORS_ALIKE_H
#define RP_OPERATORS_ALIKE_H

#include "buffer.h"
#include "operator_matrix.h"

/* Writes the names of all aspects with the same text as this aspect, "out, in_place", and returns
 * the number of these aspects. Returns 0 if this aspect is right, or if an earlier aspect has the
 * same text. */
size_t rp_operator_aspects_together(const struct rp_operator_cell *cell, size_t first,
                                    struct hn_buffer *names);

/* Writes the names of at most `most` cells whose process ended in the same way as the process of
 * this cell, "abs float32, add float32 and 4 more". Returns the number of all such cells; 0 if this
 * cell is not the first one. */
size_t rp_operators_ended_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                                size_t most, struct hn_buffer *names);

/* Like rp_operators_ended_alike, for cells that are right and have the same note. */
size_t rp_operators_noted_alike(const struct rp_operator_matrix *matrix, size_t row, size_t column,
                                size_t aspect, size_t most, struct hn_buffer *names);

/* 1 if some aspect was wrong or refused. */
int rp_operator_has_told(const struct rp_operator_cell *cell);

/* 1 if the operator was tested and neither a kernel of the backend nor core computed it. */
static inline int rp_operator_is_to_do(const struct rp_used_operator *used)
{
    return used->answer != RP_NATIVE && used->answer != RP_COMPOSED && used->answer != RP_UNASKED;
}

#endif
