/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Template of the real classes. The including file defines T, CLASS and TABLE. Each step rounds to
 * T, as on the CPU. tgmath.h selects the function of the right precision.
 */
#include <tgmath.h>

#include "arith.h"

#define ADD(x, y) ((x) + (y))
#define MULTIPLY(x, y) ((x) * (y))

#include "arith_shared.h"
#include "fakedev_faults.h"

FD_CONVERT(to_bool, T, uint64_t, x != 0)
FD_CONVERT(to_uint64, T, uint64_t, fd_uint64_of((double)x))
FD_CONVERT(to_int64, T, int64_t,
           fd_int64_of(fd_fault("kernel.cast_rounds_instead_of_truncates") ? rint((double)x)
                                                                           : (double)x))
FD_CONVERT(to_float32, T, float, x)
FD_CONVERT(to_float64, T, double, x)
FD_CONVERT(to_complex64, T, float _Complex, (float)x)
FD_CONVERT(to_complex128, T, double _Complex, (double)x)

static T modulus_floored(T x, T y)
{
    const T modulus = fmod(x, y);
    return modulus != 0 && (y < 0) != (modulus < 0) ? modulus + y : modulus;
}

/* Floor division as in Python, computed from the floored modulus. The result is exact even where
 * the quotient of x and y would be rounded up. */
static T quotient_floored(T x, T y)
{
    if (y == 0)
        return x / y;
    const T modulus = fmod(x, y);
    const T quotient = (x - modulus) / y - (modulus != 0 && (y < 0) != (modulus < 0) ? 1 : 0);
    const T floored = floor(quotient);
    if (quotient == 0)
        return copysign((T)0, x / y);
    return quotient - floored > (T)0.5 ? floored + 1 : floored;
}

static int comes_before(T x, T y)
{
    return fd_fault("kernel.nan_lost_in_max") ? isnan(y) : isnan(x) && !isnan(y);
}

#define BEFORE(x, y) comes_before((x), (y))
#include "arith_ordered.h"

FD_ROW(identity, T, T, x)
FD_ROW(negate, T, T, -x)
FD_ROW(absolute, T, T, fabs(x))
FD_ROW(exponential, T, T, exp(x))
FD_ROW(logarithm, T, T, log(x))
FD_ROW(square_root, T, T, sqrt(x))
FD_ROW(inverse_root, T, T, 1 / sqrt(x))
FD_ROW(sine, T, T, sin(x))
FD_ROW(cosine, T, T, cos(x))
FD_ROW(hyperbolic_tangent, T, T, tanh(x))
FD_ROW(sigmoid, T, T, 1 / (1 + exp(-x)))
FD_ROW(rectify, T, T, x < 0 ? 0 : x)
FD_ROW(reciprocal, T, T, 1 / x)
FD_ROW(round_down, T, T, floor(x))
FD_ROW(round_up, T, T, ceil(x))
FD_ROW(round_to_zero, T, T, trunc(x))
FD_ROW(round_to_even, T, T, nearbyint(x))
FD_ROW(sign, T, T, (x > 0) - (x < 0))
FD_ROW(is_finite, T, uint64_t, isfinite(x))
FD_ROW(error_function, T, T, erf(x))
FD_ROW2(add, T, T, x + y)
FD_ROW2(subtract, T, T, x - y)
FD_ROW2(times, T, T, x *y)
FD_ROW2(divide, T, T, x / y)
FD_ROW2(divide_truncated, T, T, trunc(x / y))
FD_ROW2(divide_floored, T, T, quotient_floored(x, y))
FD_ROW2(remainder_floored, T, T, modulus_floored(x, y))
FD_ROW2(remainder_truncated, T, T, fmod(x, y))
FD_ROW2(raise, T, T, pow(x, y))
FD_ROW2(angle, T, T, atan2(x, y))
FD_ROW3(add_product, T, x + s * y * z)
FD_ROW3(add_quotient, T, x + s * y / z)

const struct fd_arith TABLE = {
    .size = sizeof(T),
    .wide = FD_CLASS_FLOAT64,
    .real = CLASS,
    .convert = {to_bool, to_uint64, to_int64, to_float32, to_float64, to_complex64, to_complex128},
    .unary =
        {
            [FD_NEG] = negate,
            [FD_ABS] = absolute,
            [FD_EXP] = exponential,
            [FD_LOG] = logarithm,
            [FD_SQRT] = square_root,
            [FD_RSQRT] = inverse_root,
            [FD_SIN] = sine,
            [FD_COS] = cosine,
            [FD_TANH] = hyperbolic_tangent,
            [FD_SIGMOID] = sigmoid,
            [FD_RELU] = rectify,
            [FD_RECIPROCAL] = reciprocal,
            [FD_FLOOR] = round_down,
            [FD_CEIL] = round_up,
            [FD_TRUNC] = round_to_zero,
            [FD_ROUND] = round_to_even,
            [FD_SIGN] = sign,
            [FD_LOGICAL_NOT] = logical_not,
            [FD_IS_FINITE] = is_finite,
            [FD_CONJ] = identity,
            [FD_ERF] = error_function,
        },
    .binary =
        {
            [FD_ADD] = add,
            [FD_SUB] = subtract,
            [FD_MUL] = times,
            [FD_DIV] = divide,
            [FD_DIV_TRUNC] = divide_truncated,
            [FD_DIV_FLOOR] = divide_floored,
            [FD_REMAINDER] = remainder_floored,
            [FD_FMOD] = remainder_truncated,
            [FD_POW] = raise,
            [FD_MAXIMUM] = maximum,
            [FD_MINIMUM] = minimum,
            [FD_ATAN2] = angle,
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
    .addcdiv = add_quotient,
    .select = select_elements,
    .fold = {[FD_SUM] = fold_sum,
             [FD_PROD] = fold_product,
             [FD_MAX] = fold_maximum,
             [FD_MIN] = fold_minimum},
    .position = {[FD_ARGMAX] = position_of_maximum, [FD_ARGMIN] = position_of_minimum},
    .scan = scan,
    .multiply = multiply,
};
