/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arithmetic on blocks of elements. Fifteen dtypes are computed in seven classes. Each class is one
 * const table of functions (arith_int64.c, ...), filled by a template (arith_integer.h,
 * arith_real.h, arith_complex.h). A kernel loads memory into a class with dtype.h, calls these
 * functions, and stores the result. A NULL entry means that the operation does not exist for that
 * class. Must not depend on tensors.
 */
#ifndef FD_ARITH_H
#define FD_ARITH_H

#include "fakedev_kernels.h"

/* The classes, in order of type promotion. An element of class BOOL is a uint64_t with value 0 or
 * 1. A sum of BOOL elements may exceed 1; the function that stores it writes `element != 0`. */
enum fd_class {
    FD_CLASS_BOOL,
    FD_CLASS_UINT64,
    FD_CLASS_INT64,
    FD_CLASS_FLOAT32,
    FD_CLASS_FLOAT64,
    FD_CLASS_COMPLEX64,
    FD_CLASS_COMPLEX128,
    FD_CLASS_COUNT
};

union fd_element {
    uint64_t uint64;
    int64_t int64;
    float float32;
    double float64;
    float _Complex complex64;
    double _Complex complex128;
};

#define FD_BLOCK 256 /* number of elements that are loaded, computed and stored together */
#define FD_TILE 64   /* columns in one tile of a matrix product */

/* A buffer large enough for one block of any class. */
union fd_buffer {
    union fd_element aligned;
    char bytes[FD_BLOCK * sizeof(union fd_element)];
};

struct fd_batch {
    const void *in[3];
    void *out; /* may be in[0] */
    size_t count;
    const void *scalar; /* one element of the class */
    fd_status status;   /* set to FD_ERROR_KERNEL by integer division by zero */
};
typedef void (*fd_batch_function)(struct fd_batch *batch);
/* `out` does not overlap `in`. */
typedef void (*fd_convert_function)(const void *in, void *out, size_t count);
/* Reduces `count` >= 1 elements to one element. */
typedef void (*fd_fold_function)(const void *in, size_t count, void *result);

struct fd_arith {
    size_t size;
    enum fd_class wide; /* class in which sums and products are accumulated */
    enum fd_class real; /* class of an element's absolute value */
    fd_convert_function convert[FD_CLASS_COUNT];
    fd_batch_function unary[FD_UNARY_COUNT];
    fd_batch_function binary[FD_BINARY_COUNT];
    fd_batch_function addcmul, addcdiv;     /* in[0] + scalar * in[1] (*, /) in[2] */
    fd_batch_function select;               /* in[0] (of class BOOL) ? in[1] : in[2] */
    fd_fold_function fold[FD_REDUCE_COUNT]; /* only SUM, PROD, MAX, MIN */
    size_t (*position[FD_REDUCE_COUNT])(const void *in, size_t count); /* only ARGMAX, ARGMIN */
    /* Inclusive running sum. `running` holds the sum before and after this block. `in` and `out`
     * may be equal. */
    void (*scan)(const void *in, void *out, size_t count, void *running);
    /* acc[rows][FD_TILE] += a[rows][depth] * b[depth][FD_TILE] */
    void (*multiply)(const void *a, const void *b, void *acc, size_t rows, size_t depth);
};

extern const struct fd_arith fd_arith_bool, fd_arith_uint64, fd_arith_int64, fd_arith_float32,
    fd_arith_float64, fd_arith_complex64, fd_arith_complex128;

const struct fd_arith *fd_arith_of(enum fd_class class);
int fd_class_is_integral(enum fd_class class);

/* The class of an operation's result. */
enum fd_class fd_unary_result(fd_unary_op op, enum fd_class class);
enum fd_class fd_binary_result(fd_binary_op op, enum fd_class class);

/* Converts `scalar` to one element of `class`. */
void fd_scalar_element(struct fd_scalar scalar, enum fd_class class, union fd_element *element);

/* If the value is outside the target's range, C leaves the conversion undefined. These functions
 * give the x86-64 result, which PyTorch's CPU kernels also give: NaN and overflow become the
 * smallest int64. */
int64_t fd_int64_of(double value);
uint64_t fd_uint64_of(double value);

/* One row of a template: a name, and an expression that computes an element of `out_type` from
 * the elements x, y, z of `in_type` and the scalar s. */
#define FD_ROW(name, in_type, out_type, expression)                                                \
    static void name(struct fd_batch *batch)                                                       \
    {                                                                                              \
        const in_type *in = batch->in[0];                                                          \
        out_type *out = batch->out;                                                                \
        for (size_t i = 0; i < batch->count; i++) {                                                \
            const in_type x = in[i];                                                               \
            out[i] = (out_type)(expression);                                                       \
        }                                                                                          \
    }
#define FD_ROW2(name, in_type, out_type, expression)                                               \
    static void name(struct fd_batch *batch)                                                       \
    {                                                                                              \
        const in_type *in = batch->in[0], *in2 = batch->in[1];                                     \
        out_type *out = batch->out;                                                                \
        for (size_t i = 0; i < batch->count; i++) {                                                \
            const in_type x = in[i], y = in2[i];                                                   \
            out[i] = (out_type)(expression);                                                       \
        }                                                                                          \
    }
#define FD_ROW3(name, in_type, expression)                                                         \
    static void name(struct fd_batch *batch)                                                       \
    {                                                                                              \
        const in_type *in = batch->in[0], *in2 = batch->in[1], *in3 = batch->in[2];                \
        const in_type s = *(const in_type *)batch->scalar;                                         \
        in_type *out = batch->out;                                                                 \
        for (size_t i = 0; i < batch->count; i++) {                                                \
            const in_type x = in[i], y = in2[i], z = in3[i];                                       \
            out[i] = (in_type)(expression);                                                        \
        }                                                                                          \
    }
#define FD_CONVERT(name, in_type, out_type, expression)                                            \
    static void name(const void *from, void *to, size_t count)                                     \
    {                                                                                              \
        const in_type *in = from;                                                                  \
        out_type *out = to;                                                                        \
        for (size_t i = 0; i < count; i++) {                                                       \
            const in_type x = in[i];                                                               \
            out[i] = (out_type)(expression);                                                       \
        }                                                                                          \
    }

#endif
