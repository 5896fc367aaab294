/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of an element in memory: size, name, the class it is computed in, and how blocks of
 * it are loaded and stored. Used by all kernels; knows no tensor and no operation.
 */
#ifndef FD_DTYPE_H
#define FD_DTYPE_H

#include "arith.h"

struct fd_dtype_info {
    const char *name;
    size_t size;
    enum fd_class class;
    /* `stride` counts bytes. Memory need not be aligned. */
    void (*load)(const char *from, int64_t stride, size_t count, void *elements);
    void (*store)(const void *elements, size_t count, char *to, int64_t stride);
};

/* NULL for an unknown one. */
const struct fd_dtype_info *fd_dtype_get(fd_dtype dtype);
/* A dtype of equal size whose load and store keep every bit, also of a signalling NaN. */
fd_dtype fd_dtype_raw(fd_dtype dtype);

/* Load and convert; `count` is at most FD_BLOCK. Likewise convert and store. */
void fd_load_as(const struct fd_dtype_info *dtype, enum fd_class class, const char *from,
                int64_t stride, size_t count, void *elements);
void fd_store_from(const struct fd_dtype_info *dtype, enum fd_class class, const void *elements,
                   size_t count, char *to, int64_t stride);

#endif
