/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Walks strided views row by row. Called by all kernels, on the stream's worker.
 */
#include "tensor_walk.h"
#include "fakedev_faults.h"

#include <string.h>

void fd_walk_begin(struct fd_walk *walk, int32_t dims, const int64_t *sizes)
{
    walk->operands = 0;
    walk->dims = dims > 0 ? dims : 1;
    walk->sizes[0] = 1; /* a scalar is a row with one element */
    for (int32_t dim = 0; dim < dims; dim++)
        walk->sizes[dim] = sizes[dim];
}

void fd_walk_add_strides(struct fd_walk *walk, void *data, const int64_t *strides)
{
    const int32_t operand = walk->operands++;
    walk->base[operand] = data;
    for (int32_t dim = 0; dim < walk->dims; dim++)
        walk->strides[dim][operand] = strides[dim];
}

void fd_walk_add(struct fd_walk *walk, const struct fd_tensor *tensor)
{
    const int64_t size = (int64_t)fd_dtype_size(tensor->dtype);
    const int32_t missing = walk->dims - tensor->dims;
    int64_t dense = size, strides[FD_MAX_DIMS] = {0};
    for (int32_t dim = tensor->dims - 1; dim >= 0; dim--) {
        const int64_t length = tensor->sizes[dim];
        const int expanded = length == 1 || tensor->strides[dim] == 0;
        strides[missing + dim] = length == 1 ? 0 : tensor->strides[dim] * size;
        if (fd_fault("kernel.ignores_strides") && !expanded)
            strides[missing + dim] = dense;
        if (fd_fault("kernel.expanded_operand_wrong") && expanded && length > 1)
            strides[missing + dim] = size;
        dense *= length;
    }
    fd_walk_add_strides(walk, tensor->data, strides);
}

static int merges(const struct fd_walk *walk, int32_t outer, int32_t inner)
{
    for (int32_t operand = 0; operand < walk->operands; operand++)
        if (walk->strides[outer][operand] != walk->strides[inner][operand] * walk->sizes[inner])
            return 0;
    return 1;
}

void fd_walk_collapse(struct fd_walk *walk)
{
    int32_t last = 0;
    for (int32_t dim = 1; dim < walk->dims; dim++) {
        if (walk->sizes[dim] == 1)
            continue;
        const int replaces = walk->sizes[last] == 1;
        if (replaces || merges(walk, last, dim)) {
            walk->sizes[last] *= walk->sizes[dim];
        } else {
            last++;
            walk->sizes[last] = walk->sizes[dim];
        }
        memcpy(walk->strides[last], walk->strides[dim], sizeof walk->strides[last]);
    }
    walk->dims = last + 1;
}

/* Moves the row to the next index of the outer dimensions. Returns 0 after the last row. */
static int advance(const struct fd_walk *walk, int64_t *index, struct fd_row *row)
{
    for (int32_t dim = walk->dims - 2; dim >= 0; dim--) {
        const int wraps = ++index[dim] == walk->sizes[dim];
        const int64_t steps = wraps ? 1 - walk->sizes[dim] : 1;
        for (int32_t operand = 0; operand < walk->operands; operand++)
            row->pointer[operand] += steps * walk->strides[dim][operand];
        if (!wraps)
            return 1;
        index[dim] = 0;
    }
    return 0;
}

fd_status fd_walk_rows(const struct fd_walk *walk, fd_row_function function, void *context)
{
    int64_t index[FD_MAX_DIMS] = {0};
    struct fd_row row = {.strides = walk->strides[walk->dims - 1],
                         .count = walk->sizes[walk->dims - 1]};
    fd_status status;
    if (fd_count_of(walk->dims, walk->sizes) == 0)
        return FD_OK;
    memcpy(row.pointer, walk->base, (size_t)walk->operands * sizeof walk->base[0]);
    do {
        status = function(context, &row);
        row.first += row.count;
    } while (status == FD_OK && advance(walk, index, &row));
    return status;
}

int64_t fd_count_of(int32_t dims, const int64_t *sizes)
{
    int64_t count = 1;
    int overflows = 0;
    for (int32_t dim = 0; dim < dims; dim++) {
        if (sizes[dim] == 0)
            return 0;
        overflows |= __builtin_mul_overflow(count, sizes[dim], &count);
    }
    return overflows ? -1 : count;
}

int64_t fd_tensor_count(const struct fd_tensor *tensor)
{
    return fd_count_of(tensor->dims, tensor->sizes);
}

int fd_tensor_broadcasts(const struct fd_tensor *tensor, int32_t dims, const int64_t *sizes)
{
    const int32_t missing = dims - tensor->dims;
    if (missing < 0)
        return 0;
    for (int32_t dim = 0; dim < tensor->dims; dim++)
        if (tensor->sizes[dim] != 1 && tensor->sizes[dim] != sizes[missing + dim])
            return 0;
    return 1;
}
