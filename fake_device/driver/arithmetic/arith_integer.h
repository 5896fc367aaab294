/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Template of the integer classes. The including file defines T, NEGATIVE(x), BITWISE_NOT(x),
 * CLASS, WIDE and TABLE. All operations wrap modulo 2^64 and are computed without signed overflow.
 */
#include "arith.h"

#ifndef ADD
#define ADD(x, y) ((T)((uint64_t)(x) + (uint64_t)(y)))
#endif
#define MULTIPLY(x, y) ((T)((uint64_t)(x) * (uint64_t)(y)))
#define MINUS(x) ((T)(0 - (uint64_t)(x)))

#include "arith_shared.h"
#include "fakedev_faults.h"

FD_CONVERT(to_bool, T, uint64_t, x != 0)
FD_CONVERT(to_uint64, T, uint64_t, x)
FD_CONVERT(to_int64, T, int64_t, x)
FD_CONVERT(to_float32, T, float, x)
FD_CONVERT(to_float64, T, double, x)
FD_CONVERT(to_complex64, T, float _Complex, (float)x)
FD_CONVERT(to_complex128, T, double _Complex, (double)x)

static T quotient_truncated(T x, T y)
{
    if (fd_fault("kernel.int_division_rounds_down_always") && NEGATIVE(x) != NEGATIVE(y) && x % y)
        return (T)(x / y - 1);
    return y == (T)-1 && NEGATIVE(y) ? MINUS(x) : (T)(x / y);
}

static T modulus_truncated(T x, T y)
{
    return y == (T)-1 && NEGATIVE(y) ? 0 : (T)(x % y);
}

static int rounds_down(T x, T y)
{
    return modulus_truncated(x, y) != 0 && NEGATIVE(x) != NEGATIVE(y);
}

static T quotient_floored(T x, T y)
{
    return (T)(quotient_truncated(x, y) - (rounds_down(x, y) ? 1 : 0));
}

static T modulus_floored(T x, T y)
{
    return ADD(modulus_truncated(x, y), rounds_down(x, y) ? y : 0);
}

/* If a divisor is zero, the result element is 0 and the kernel fails. */
static T divided(struct fd_batch *batch, T (*function)(T x, T y), T x, T y)
{
    if (y != 0 || fd_fault("kernel.int_division_by_zero_crashes"))
        return function(x, y);
    batch->status = FD_ERROR_KERNEL;
    return 0;
}

#define BEFORE(x, y) 0
#include "arith_ordered.h"

FD_ROW(identity, T, T, x)
FD_ROW(negate, T, T, MINUS(x))
FD_ROW(absolute, T, T, NEGATIVE(x) ? MINUS(x) : x)
FD_ROW(rectify, T, T, NEGATIVE(x) ? 0 : x)
FD_ROW(sign, T, T, NEGATIVE(x) ? -1 : x != 0)
FD_ROW(bitwise_not, T, T, BITWISE_NOT(x))
FD_ROW(is_finite, T, uint64_t, x == x)
FD_ROW2(add, T, T, ADD(x, y))
FD_ROW2(subtract, T, T, ADD(x, MINUS(y)))
FD_ROW2(times, T, T, MULTIPLY(x, y))
FD_ROW2(divide_truncated, T, T, divided(batch, quotient_truncated, x, y))
FD_ROW2(divide_floored, T, T, divided(batch, quotient_floored, x, y))
FD_ROW2(remainder_floored, T, T, divided(batch, modulus_floored, x, y))
FD_ROW2(remainder_truncated, T, T, divided(batch, modulus_truncated, x, y))
FD_ROW2(bitwise_and, T, T, x &y)
FD_ROW2(bitwise_or, T, T, x | y)
FD_ROW2(bitwise_xor, T, T, x ^ y)
FD_ROW3(add_product, T, ADD(x, MULTIPLY(MULTIPLY(s, y), z)))

const struct fd_arith TABLE = {
    .size = sizeof(T),
    .wide = WIDE,
    .real = CLASS,
    .convert = {to_bool, to_uint64, to_int64, to_float32, to_float64, to_complex64, to_complex128},
    .unary =
        {
            [FD_NEG] = negate,
            [FD_ABS] = absolute,
            [FD_RELU] = rectify,
            [FD_FLOOR] = identity,
            [FD_CEIL] = identity,
            [FD_TRUNC] = identity,
            [FD_ROUND] = identity,
            [FD_SIGN] = sign,
            [FD_LOGICAL_NOT] = logical_not,
            [FD_BITWISE_NOT] = bitwise_not,
            [FD_IS_FINITE] = is_finite,
            [FD_CONJ] = identity,
        },
    .binary =
        {
            [FD_ADD] = add,
            [FD_SUB] = subtract,
            [FD_MUL] = times,
            [FD_DIV_TRUNC] = divide_truncated,
            [FD_DIV_FLOOR] = divide_floored,
            [FD_REMAINDER] = remainder_floored,
            [FD_FMOD] = remainder_truncated,
            [FD_MAXIMUM] = maximum,
            [FD_MINIMUM] = minimum,
            [FD_BITWISE_AND] = bitwise_and,
            [FD_BITWISE_OR] = bitwise_or,
            [FD_BITWISE_XOR] = bitwise_xor,
            [FD_EQ] = equal,
            [FD_NE] = not_equal,
            [FD_LT] = less,
            [FD_LE] = less_equal,
            [FD_GT] = greater,
            [FD_GE] = greater_equal,
            [FD_LOGICAL_AND] = logical_and,
            [FD_LOGICAL_OR] = logical_or,
            [FD_LOGICAL_XOR] = logical_xor,
        },
    .addcmul = add_product,
    .select = select_elements,
    .fold = {[FD_SUM] = fold_sum,
             [FD_PROD] = fold_product,
             [FD_MAX] = fold_maximum,
             [FD_MIN] = fold_minimum},
    .position = {[FD_ARGMAX] = position_of_maximum, [FD_ARGMIN] = position_of_minimum},
    .scan = scan,
    .multiply = multiply,
};
