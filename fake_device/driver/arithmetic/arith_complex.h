/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Template of the complex classes. The including file defines REAL, CLASS, REAL_CLASS and TABLE.
 * Products and quotients are written out, because C's operators turn some NaN results into
 * infinities and PyTorch does not.
 */
#include <complex.h>
#include <tgmath.h>

#include "arith.h"

#define T REAL _Complex
#define ADD(x, y) ((x) + (y))
#define MULTIPLY(x, y) product((x), (y))

static T made_of(REAL real, REAL imaginary)
{
    union {
        REAL parts[2];
        T value;
    } both = {{real, imaginary}};
    return both.value;
}

static inline T product(T x, T y)
{
    return made_of(creal(x) * creal(y) - cimag(x) * cimag(y),
                   creal(x) * cimag(y) + cimag(x) * creal(y));
}

#include "arith_shared.h"

FD_CONVERT(to_bool, T, uint64_t, x != 0)
FD_CONVERT(to_uint64, T, uint64_t, fd_uint64_of((double)creal(x)))
FD_CONVERT(to_int64, T, int64_t, fd_int64_of((double)creal(x)))
FD_CONVERT(to_float32, T, float, creal(x))
FD_CONVERT(to_float64, T, double, creal(x))
FD_CONVERT(to_complex64, T, float _Complex, x)
FD_CONVERT(to_complex128, T, double _Complex, x)

/* Divides both parts by the larger part of the divisor first, so that intermediate values do not
 * overflow unnecessarily. */
static T quotient(T x, T y)
{
    const REAL a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    if (c == 0 && d == 0)
        return made_of(a / fabs(c), b / fabs(d));
    if (fabs(c) >= fabs(d)) {
        const REAL ratio = d / c, scale = 1 / (c + d * ratio);
        return made_of((a + b * ratio) * scale, (b - a * ratio) * scale);
    }
    const REAL ratio = c / d, scale = 1 / (c * ratio + d);
    return made_of((a * ratio + b) * scale, (b * ratio - a) * scale);
}

FD_ROW(negate, T, T, made_of(-creal(x), -cimag(x)))
FD_ROW(absolute, T, REAL, hypot(creal(x), cimag(x)))
FD_ROW(exponential, T, T, exp(x))
FD_ROW(logarithm, T, T, log(x))
FD_ROW(square_root, T, T, sqrt(x))
FD_ROW(inverse_root, T, T, quotient(1, sqrt(x)))
FD_ROW(sine, T, T, sin(x))
FD_ROW(cosine, T, T, cos(x))
FD_ROW(hyperbolic_tangent, T, T, tanh(x))
FD_ROW(sigmoid, T, T, quotient(1, 1 + exp(-x)))
FD_ROW(reciprocal, T, T, quotient(1, x))
FD_ROW(is_finite, T, uint64_t, isfinite(creal(x)) && isfinite(cimag(x)))
FD_ROW(conjugate, T, T, made_of(creal(x), -cimag(x)))
FD_ROW2(add, T, T, x + y)
FD_ROW2(subtract, T, T, x - y)
FD_ROW2(times, T, T, product(x, y))
FD_ROW2(divide, T, T, quotient(x, y))
FD_ROW3(add_product, T, x + product(product(s, y), z))

const struct fd_arith TABLE = {
    .size = sizeof(T),
    .wide = FD_CLASS_COMPLEX128,
    .real = REAL_CLASS,
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
            [FD_RECIPROCAL] = reciprocal,
            [FD_LOGICAL_NOT] = logical_not,
            [FD_IS_FINITE] = is_finite,
            [FD_CONJ] = conjugate,
        },
    .binary =
        {
            [FD_ADD] = add,
            [FD_SUB] = subtract,
            [FD_MUL] = times,
            [FD_DIV] = divide,
            [FD_EQ] = equal,
            [FD_NE] = not_equal,
            [FD_LOGICAL_AND] = logical_and,
            [FD_LOGICAL_OR] = logical_or,
            [FD_LOGICAL_XOR] = logical_xor,
        },
    .addcmul = add_product,
    .select = select_elements,
    .fold = {[FD_SUM] = fold_sum, [FD_PROD] = fold_product},
    .scan = scan,
    .multiply = multiply,
};
