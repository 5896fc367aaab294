/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of an element in memory: size, name, the class in which it is computed, and how blocks
 * of elements are loaded and stored. Used by all kernels. Must not depend on tensors or operations.
 */
#ifndef FD_DTYPE_H
#define FD_DTYPE_H

#include "arith.h"

struct fd_dtype_info {
    const char *name;
    size_t size;
    enum fd_class class;
    /* `stride` counts bytes. Memory may be unaligned. */
    void (*load)(const char *from, int64_t stride, size_t count, void *elements);
    void (*store)(const void *elements, size_t count, char *to, int64_t stride);
};

/* Returns NULL if `dtype` is unknown. */
const struct fd_dtype_info *fd_dtype_get(fd_dtype dtype);
/* Returns a dtype of the same size. The load and store functions of that dtype preserve every bit,
 * also in a signalling NaN. */
fd_dtype fd_dtype_raw(fd_dtype dtype);

/* fd_load_as loads `count` <= FD_BLOCK elements and converts them to `class`. fd_store_from
 * converts them back and stores them. */
void fd_load_as(const struct fd_dtype_info *dtype, enum fd_class class, const char *from,
                int64_t stride, size_t count, void *elements);
void fd_store_from(const struct fd_dtype_info *dtype, enum fd_class class, const void *elements,
                   size_t count, char *to, int64_t stride);

#endif
