/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How kernels go through several strided views at once: one shape, one set of strides per operand,
 * collapsed to as few dimensions as possible, visited row by row (the innermost dimension). Knows
 * addresses and strides in bytes, neither dtypes nor operations.
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

/* One innermost line: pointer + i * stride for i < count. */
struct fd_row {
    char *pointer[FD_MAX_OPERANDS];
    const int64_t *strides;
    int64_t count;
    int64_t first; /* row-major number of its first element */
};
typedef fd_status (*fd_row_function)(void *context, const struct fd_row *row);

void fd_walk_begin(struct fd_walk *walk, int32_t dims, const int64_t *sizes);
/* Adds a view as the next operand, broadcast to the walk's shape. */
void fd_walk_add(struct fd_walk *walk, const struct fd_tensor *tensor);
/* Adds an operand by its strides in bytes, one per dimension of the walk. */
void fd_walk_add_strides(struct fd_walk *walk, void *data, const int64_t *strides);
/* Merges neighbouring dimensions that every operand passes through in one step. */
void fd_walk_collapse(struct fd_walk *walk);
/* Calls `function` for each row in row-major order, until one fails; that status is returned. */
fd_status fd_walk_rows(const struct fd_walk *walk, fd_row_function function, void *context);

/* Number of elements; 1 for a scalar, -1 for more than a number counts. Where a size is 0 the others may be as large as
 * they like. */
int64_t fd_count_of(int32_t dims, const int64_t *sizes);
int64_t fd_tensor_count(const struct fd_tensor *tensor);
/* 1 if `tensor` broadcasts to the shape. */
int fd_tensor_broadcasts(const struct fd_tensor *tensor, int32_t dims, const int64_t *sizes);

#endif
