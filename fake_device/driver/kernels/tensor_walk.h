/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Iterates over several strided views at once. A walk has one shape and one set of strides per
 * operand. A walk is collapsed to as few dimensions as possible and visited row by row; a row runs
 * along the innermost dimension. Strides count bytes. Must not depend on dtypes or operations.
 */
#ifndef FD_TENSOR_WALK_H
#define FD_TENSOR_WALK_H

#include "fakedev_kernels.h"

#define FD_MAX_OPERANDS (FD_MAX_DIMS + 2)

struct fd_walk {
    int32_t operands, dims;
    int64_t sizes[FD_MAX_DIMS];
    int64_t strides[FD_MAX_DIMS][FD_MAX_OPERANDS]; /* bytes */
    char *base[FD_MAX_OPERANDS];
};

/* One innermost row: the elements are at pointer + i * stride for i < count. */
struct fd_row {
    char *pointer[FD_MAX_OPERANDS];
    const int64_t *strides;
    int64_t count;
    int64_t first; /* row-major number of the row's first element */
};
typedef fd_status (*fd_row_function)(void *context, const struct fd_row *row);

void fd_walk_begin(struct fd_walk *walk, int32_t dims, const int64_t *sizes);
/* Adds a view as the next operand, broadcast to the walk's shape. */
void fd_walk_add(struct fd_walk *walk, const struct fd_tensor *tensor);
/* Adds an operand, given by its strides in bytes, one per dimension of the walk. */
void fd_walk_add_strides(struct fd_walk *walk, void *data, const int64_t *strides);
/* Merges two neighbouring dimensions if one stride traverses both in every operand. */
void fd_walk_collapse(struct fd_walk *walk);
/* Calls `function` for each row in row-major order. Stops at the first failure and returns its
 * status. */
fd_status fd_walk_rows(const struct fd_walk *walk, fd_row_function function, void *context);

/* Returns the number of elements: 1 for a scalar, -1 if the product overflows, 0 if any size is
 * 0. */
int64_t fd_count_of(int32_t dims, const int64_t *sizes);
int64_t fd_tensor_count(const struct fd_tensor *tensor);
/* Returns 1 if `tensor` broadcasts to the shape `sizes`. */
int fd_tensor_broadcasts(const struct fd_tensor *tensor, int32_t dims, const int64_t *sizes);

#endif
