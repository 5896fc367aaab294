/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares elementwise kernels that have one or three inputs with plain host computations, for
 * all dtypes and layouts. Kernels with two inputs are in kernel_pointwise_binary_test.c.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

/* three full blocks and a partial one after collapsing */
static const int64_t shape[] = {2, 3, 150};
#define DIMS 3
#define ELEMENTS 900

static double relu(double x)
{
    return x < 0 ? 0 : x;
}

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double inverse(double x)
{
    return 1 / x;
}

static double sign_of(double x)
{
    return (x > 0) - (x < 0);
}

static double negative(double x)
{
    return -x;
}

static double is_false(double x)
{
    return x == 0;
}

static double is_finite(double x)
{
    return isfinite(x);
}

static double same(double x)
{
    return x;
}

static const struct {
    fd_unary_op op;
    double (*reference)(double x);
    double ulps;
    int integers; /* Returns 1 if the integer class itself has the operation. */
    int bool_out;
} unary_rows[] = {
    {FD_NEG, negative, 0, 1, 0},
    {FD_ABS, fabs, 0, 1, 0},
    {FD_EXP, exp, 2, 0, 0},
    {FD_LOG, log, 2, 0, 0},
    {FD_SQRT, sqrt, 0, 0, 0},
    {FD_RSQRT, inverse_root, 2, 0, 0},
    {FD_SIN, sin, 2, 0, 0},
    {FD_COS, cos, 2, 0, 0},
    {FD_TANH, tanh, 2, 0, 0},
    {FD_SIGMOID, sigmoid, 3, 0, 0},
    {FD_RELU, relu, 0, 1, 0},
    {FD_RECIPROCAL, inverse, 0, 0, 0},
    {FD_FLOOR, floor, 0, 1, 0},
    {FD_CEIL, ceil, 0, 1, 0},
    {FD_TRUNC, trunc, 0, 1, 0},
    {FD_ROUND, rint, 0, 1, 0},
    {FD_SIGN, sign_of, 0, 1, 0},
    {FD_LOGICAL_NOT, is_false, 0, 1, 1},
    {FD_IS_FINITE, is_finite, 0, 1, 1},
    {FD_CONJ, same, 0, 1, 0},
    {FD_ERF, erf, 2, 0, 0},
};

static const double no_numbers[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};

static void check_unary(int64_t row, fd_dtype dtype, enum layout in_layout, enum layout out_layout)
{
    const fd_dtype out_dtype = unary_rows[row].bool_out ? FD_BOOL : dtype;
    const struct placed in = place_tensor(in_layout, dtype, DIMS, shape);
    const struct placed out = place_tensor(out_layout, out_dtype, DIMS, shape);
    put_samples(&in, row);
    for (int64_t i = 0; is_floating(dtype) && i < COUNT_OF(no_numbers); i++)
        put(&in, 100 * i, no_numbers[i]);
    ck_assert_ok(fd_kernel_unary(test_stream(), unary_rows[row].op, &out.tensor, &in.tensor));
    test_sync();
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const double x = get(&in, i), demanded = unary_rows[row].reference(x);
        ck_assert_msg(
            is_close(out_dtype, get(&out, i), as_dtype(out_dtype, demanded), unary_rows[row].ulps),
            "op %d of %s: %.17g gives %.17g, not %.17g", unary_rows[row].op,
            fd_dtype_get(dtype)->name, x, get(&out, i), demanded);
    }
    ck_assert_surroundings(&out);
    remove_tensor(&in);
    remove_tensor(&out);
}

TEST(unary_each_real_dtype_equals_host)
{
    needs_float64();
    for (int64_t row = 0; row < COUNT_OF(unary_rows); row++)
        for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
            if (is_floating(dtype) ||
                (!is_complex(dtype) && dtype != FD_BOOL && unary_rows[row].integers))
                check_unary(row, dtype, (enum layout)((row + dtype) % IN_LAYOUTS),
                            (enum layout)((row * 2 + dtype) % OUT_LAYOUTS));
}

TEST(unary_each_layout_equals_host)
{
    for (int in = 0; in < IN_LAYOUTS; in++)
        for (int out = 0; out < OUT_LAYOUTS; out++)
            check_unary(0, FD_FLOAT32, (enum layout)in, (enum layout)out);
}

TEST(unary_root_of_integers_is_computed_in_output_dtype)
{
    const int64_t size = 5;
    const struct placed in = place_tensor(CONTIGUOUS, FD_INT32, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    for (int64_t i = 0; i < size; i++)
        put_int(&in, i, i);
    ck_assert_ok(fd_kernel_unary(test_stream(), FD_SQRT, &out.tensor, &in.tensor));
    test_sync();
    for (int64_t i = 0; i < size; i++)
        ck_assert_double_eq(get(&out, i), (double)sqrtf((float)i));
    ck_assert_status(fd_kernel_unary(test_stream(), FD_SQRT, &in.tensor, &in.tensor),
                     FD_ERROR_NOT_SUPPORTED);
}

TEST(unary_complex_equals_host)
{
    needs_float64();
    const int64_t size = 40;
    static const struct {
        fd_unary_op op;
        double _Complex (*reference)(double _Complex z);
    } rows[] = {{FD_EXP, cexp}, {FD_SIN, csin}, {FD_SQRT, csqrt}, {FD_CONJ, conj}};

    for (int64_t row = 0; row < COUNT_OF(rows); row++)
        for (int wide = 0; wide < 2; wide++) {
            const fd_dtype dtype = wide ? FD_COMPLEX128 : FD_COMPLEX64;
            const struct placed in = place_tensor(STEPPED, dtype, 1, &size);
            const struct placed out = place_tensor(OFFSET, dtype, 1, &size);
            put_samples(&in, row);
            ck_assert_ok(fd_kernel_unary(test_stream(), rows[row].op, &out.tensor, &in.tensor));
            test_sync();
            for (int64_t i = 0; i < size; i++) {
                const double _Complex demanded = rows[row].reference(get_complex(&in, i));
                const double error = cabs(get_complex(&out, i) - demanded);
                ck_assert_msg(error <= cabs(demanded) * (wide ? 1e-14 : 1e-6), "error %g", error);
            }
        }
}

TEST(unary_abs_of_complex_fits_real_output)
{
    const int64_t size = 1;
    const struct placed in = place_tensor(CONTIGUOUS, FD_COMPLEX64, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    put_complex(&in, 0, 3 - 4 * I);
    ck_assert_ok(fd_kernel_unary(test_stream(), FD_ABS, &out.tensor, &in.tensor));
    test_sync();
    ck_assert_double_eq(get(&out, 0), 5);
}

/* ---- three inputs ---------------------------------------------------------------------------- */

TEST(addcmul_and_addcdiv_round_each_step)
{
    const struct placed a = place_tensor(TRANSPOSED, FD_FLOAT32, DIMS, shape);
    const struct placed b = place_tensor(EXPANDED, FD_FLOAT32, DIMS, shape);
    const struct placed c = place_tensor(NEGATIVE, FD_FLOAT32, DIMS, shape);
    const struct placed out = place_tensor(STEPPED, FD_FLOAT32, DIMS, shape);
    for (int divides = 0; divides < 2; divides++) {
        for (int64_t i = 0; i < ELEMENTS; i++) {
            put(&a, i, 0.1 * (double)i);
            put(&b, i, 0.3 * (double)(i % 17));
            put(&c, i, 1.7 + 0.7 * (double)i);
        }
        ck_assert_ok((divides ? fd_kernel_addcdiv : fd_kernel_addcmul)(
            test_stream(), &out.tensor, &a.tensor, &b.tensor, &c.tensor, real_of(0.1)));
        test_sync();
        for (int64_t i = 0; i < ELEMENTS; i++) {
            const float x = (float)get(&a, i), z = (float)get(&c, i);
            volatile float step = 0.1f * (float)get(&b, i);
            step = divides ? step / z : step * z;
            ck_assert_double_eq(get(&out, i), (double)(x + step));
        }
    }
    ck_assert_surroundings(&out);
}

TEST(where_takes_from_the_right_side)
{
    const struct placed condition = place_tensor(TRANSPOSED, FD_BOOL, DIMS, shape);
    const struct placed a = place_tensor(EXPANDED, FD_FLOAT16, DIMS, shape);
    const int64_t one = 1;
    const struct placed b = place_tensor(CONTIGUOUS, FD_FLOAT16, 1, &one);
    const struct placed out = place_tensor(STEPPED, FD_FLOAT16, DIMS, shape);
    put_samples(&condition, 1);
    put_samples(&a, 2);
    put(&b, 0, NAN);
    ck_assert_ok(
        fd_kernel_where(test_stream(), &out.tensor, &condition.tensor, &a.tensor, &b.tensor));
    test_sync();
    for (int64_t i = 0; i < ELEMENTS; i++)
        ck_assert(
            is_close(FD_FLOAT16, get(&out, i), get(&condition, i) != 0 ? get(&a, i) : NAN, 0));
    ck_assert_surroundings(&out);
    ck_assert_status(fd_kernel_where(test_stream(), &out.tensor, &a.tensor, &a.tensor, &b.tensor),
                     FD_ERROR_INVALID_VALUE);
}
