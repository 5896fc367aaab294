/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collects the tables of the seven classes, and implements the few rules that involve several
 * classes. Called by all kernels.
 */
#include "arith.h"

#include <math.h>

static const struct fd_arith *const classes[FD_CLASS_COUNT] = {
    [FD_CLASS_BOOL] = &fd_arith_bool,
    [FD_CLASS_UINT64] = &fd_arith_uint64,
    [FD_CLASS_INT64] = &fd_arith_int64,
    [FD_CLASS_FLOAT32] = &fd_arith_float32,
    [FD_CLASS_FLOAT64] = &fd_arith_float64,
    [FD_CLASS_COMPLEX64] = &fd_arith_complex64,
    [FD_CLASS_COMPLEX128] = &fd_arith_complex128,
};

const struct fd_arith *fd_arith_of(enum fd_class class)
{
    return classes[class];
}

int fd_class_is_integral(enum fd_class class)
{
    return class <= FD_CLASS_INT64;
}

enum fd_class fd_unary_result(fd_unary_op op, enum fd_class class)
{
    if (op == FD_LOGICAL_NOT || op == FD_IS_FINITE)
        return FD_CLASS_BOOL;
    return op == FD_ABS ? classes[class]->real : class;
}

enum fd_class fd_binary_result(fd_binary_op op, enum fd_class class)
{
    return op >= FD_EQ && op <= FD_LOGICAL_XOR ? FD_CLASS_BOOL : class;
}

void fd_scalar_element(struct fd_scalar scalar, enum fd_class class, union fd_element *element)
{
    const double parts[2] = {scalar.real, scalar.imaginary};
    if (scalar.is_integer)
        fd_arith_int64.convert[class](&scalar.integer, element, 1);
    else
        fd_arith_complex128.convert[class](parts, element, 1);
}

int64_t fd_int64_of(double value)
{
    return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN;
}

uint64_t fd_uint64_of(double value)
{
    return value >= 0x1p63 && value < 0x1p64 ? (uint64_t)value : (uint64_t)fd_int64_of(value);
}
