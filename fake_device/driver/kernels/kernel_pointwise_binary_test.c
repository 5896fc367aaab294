/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares elementwise kernels with two inputs with the host, for all dtypes and layouts.
 */
#include "kernel_test_support.h"
#include "unit_test.h"

/* three full blocks and a partial one after collapsing */
static const int64_t shape[] = {2, 3, 150};
#define DIMS 3
#define ELEMENTS 900

/* clang-format off */
#define REFERENCE(name, result) static double name(double x, double y) { return result; }
REFERENCE(plus, x + y)
REFERENCE(minus, x - y)
REFERENCE(times, x * y)
REFERENCE(over, x / y)
REFERENCE(over_truncated, trunc(x / y))
REFERENCE(over_floored, floor(x / y))
REFERENCE(python_modulo, x - y * floor(x / y))
REFERENCE(equals, x == y)
REFERENCE(differs, x != y)
REFERENCE(less, x < y)
REFERENCE(less_equal, x <= y)
REFERENCE(greater, x > y)
REFERENCE(greater_equal, x >= y)
REFERENCE(both, x != 0 && y != 0)
REFERENCE(either, x != 0 || y != 0)
REFERENCE(one_of, (x != 0) != (y != 0))
REFERENCE(bits_and, (double)((int64_t)x & (int64_t)y))
REFERENCE(bits_or, (double)((int64_t)x | (int64_t)y))
REFERENCE(bits_xor, (double)((int64_t)x ^ (int64_t)y))
/* clang-format on */

enum { REALS = 1, INTEGERS = 2, ALL_REAL = 3 };
static const struct {
    fd_binary_op op;
    double (*reference)(double x, double y);
    double ulps;
    int for_dtypes;
    int bool_out;
    int divides; /* y must not be 0 */
} binary_rows[] = {
    {FD_ADD, plus, 0, ALL_REAL, 0, 0},
    {FD_SUB, minus, 0, ALL_REAL, 0, 0},
    {FD_MUL, times, 0, ALL_REAL, 0, 0},
    {FD_DIV, over, 0, REALS, 0, 1},
    {FD_DIV_TRUNC, over_truncated, 0, ALL_REAL, 0, 1},
    {FD_DIV_FLOOR, over_floored, 0, ALL_REAL, 0, 1},
    {FD_REMAINDER, python_modulo, 0, ALL_REAL, 0, 1},
    {FD_FMOD, fmod, 0, ALL_REAL, 0, 1},
    {FD_POW, pow, 2, REALS, 0, 1},
    {FD_MAXIMUM, fmax, 0, ALL_REAL, 0, 0},
    {FD_MINIMUM, fmin, 0, ALL_REAL, 0, 0},
    {FD_ATAN2, atan2, 2, REALS, 0, 0},
    {FD_BITWISE_AND, bits_and, 0, INTEGERS, 0, 0},
    {FD_BITWISE_OR, bits_or, 0, INTEGERS, 0, 0},
    {FD_BITWISE_XOR, bits_xor, 0, INTEGERS, 0, 0},
    {FD_EQ, equals, 0, ALL_REAL, 1, 0},
    {FD_NE, differs, 0, ALL_REAL, 1, 0},
    {FD_LT, less, 0, ALL_REAL, 1, 0},
    {FD_LE, less_equal, 0, ALL_REAL, 1, 0},
    {FD_GT, greater, 0, ALL_REAL, 1, 0},
    {FD_GE, greater_equal, 0, ALL_REAL, 1, 0},
    {FD_LOGICAL_AND, both, 0, ALL_REAL, 1, 0},
    {FD_LOGICAL_OR, either, 0, ALL_REAL, 1, 0},
    {FD_LOGICAL_XOR, one_of, 0, ALL_REAL, 1, 0},
};

/* Returns the value that the dtype holds after wrapping. The values are small, so only a negative
 * value of an unsigned dtype can be outside the range. */
static double wrapped(fd_dtype dtype, double value)
{
    const int64_t integer = (int64_t)value;
    char memory[16];
    double result;
    if (is_floating(dtype) || dtype == FD_BOOL)
        return as_dtype(dtype, value);
    fd_store_from(fd_dtype_get(dtype), FD_CLASS_INT64, &integer, 1, memory, 0);
    fd_load_as(fd_dtype_get(dtype), FD_CLASS_FLOAT64, memory, 0, 1, &result);
    return result;
}

static void compute(fd_binary_op op, const struct placed *out, const struct placed *a,
                    const struct placed *b)
{
    ck_assert_ok(fd_kernel_binary(test_stream(), op, &out->tensor, &a->tensor, &b->tensor));
    test_sync();
}

static void check_binary(int64_t row, fd_dtype dtype, enum layout a_layout, enum layout b_layout,
                         enum layout out_layout)
{
    const fd_dtype out_dtype = binary_rows[row].bool_out ? FD_BOOL : dtype;
    const struct placed a = place_tensor(a_layout, dtype, DIMS, shape);
    const struct placed b = place_tensor(b_layout, dtype, DIMS, shape);
    const struct placed out = place_tensor(out_layout, out_dtype, DIMS, shape);
    put_samples(&a, row);
    put_samples(&b, row + 3);
    for (int64_t i = 0; i < ELEMENTS; i += 7) /* the inputs are equal only at these elements */
        put(&b, i, get(&a, i));
    if (binary_rows[row].bool_out && is_floating(dtype))
        put(&b, 1, NAN);
    for (int64_t i = 0; binary_rows[row].divides && i < ELEMENTS; i++)
        if (get(&b, i) == 0)
            put(&b, i, 3);
    compute(binary_rows[row].op, &out, &a, &b);
    for (int64_t i = 0; i < ELEMENTS; i++) {
        const double x = get(&a, i), y = get(&b, i);
        const double demanded = wrapped(out_dtype, binary_rows[row].reference(x, y));
        ck_assert_msg(is_close(out_dtype, get(&out, i), demanded, binary_rows[row].ulps),
                      "op %d of %s: %.17g and %.17g give %.17g, not %.17g", binary_rows[row].op,
                      fd_dtype_get(dtype)->name, x, y, get(&out, i), demanded);
    }
    ck_assert_surroundings(&out);
    remove_tensor(&a);
    remove_tensor(&b);
    remove_tensor(&out);
}

TEST(binary_each_real_dtype_equals_host)
{
    needs_float64();
    for (int64_t row = 0; row < COUNT_OF(binary_rows); row++)
        for (fd_dtype dtype = 0; dtype < FD_DTYPE_COUNT; dtype++)
            if (!is_complex(dtype) && dtype != FD_BOOL &&
                (binary_rows[row].for_dtypes & (is_floating(dtype) ? REALS : INTEGERS)))
                check_binary(row, dtype, (enum layout)((row + dtype) % IN_LAYOUTS),
                             (enum layout)((row + 2 * dtype) % IN_LAYOUTS),
                             (enum layout)((row * 2 + dtype) % OUT_LAYOUTS));
}

TEST(binary_each_layout_equals_host)
{
    for (int a = 0; a < IN_LAYOUTS; a++)
        for (int b = 0; b < IN_LAYOUTS; b++)
            check_binary(1, FD_INT32, (enum layout)a, (enum layout)b,
                         (enum layout)((a + b) % OUT_LAYOUTS));
}

/* + - * / of arbitrary floats give exactly the host's float32 result. */
TEST(binary_float32_of_arbitrary_values_is_exact)
{
    const int64_t size = 2000;
    const struct placed a = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    const struct placed b = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_FLOAT32, 1, &size);
    uint32_t state = 1;
    for (int64_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        put(&a, i, ldexp((double)(int32_t)state, (int)(state % 61) - 60));
        state = state * 1664525 + 1013904223;
        put(&b, i, ldexp((double)(int32_t)state, (int)(state % 61) - 60));
    }
    for (fd_binary_op op = FD_ADD; op <= FD_DIV; op++) {
        compute(op, &out, &a, &b);
        for (int64_t i = 0; i < size; i++) {
            const float x = (float)get(&a, i), y = (float)get(&b, i);
            const float demanded[] = {x + y, x - y, x * y, x / y};
            ck_assert(is_close(FD_FLOAT32, get(&out, i), (double)demanded[op], 0));
        }
    }
}

TEST(binary_complex_equals_host)
{
    const int64_t size = 50;
    const struct placed a = place_tensor(STEPPED, FD_COMPLEX64, 1, &size);
    const struct placed b = place_tensor(NEGATIVE, FD_COMPLEX64, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_COMPLEX64, 1, &size);
    put_samples(&a, 1);
    for (int64_t i = 0; i < size; i++)
        put_complex(&b, i, (double)(i + 1) - 0.5 * I);
    for (fd_binary_op op = FD_ADD; op <= FD_DIV; op++) {
        compute(op, &out, &a, &b);
        for (int64_t i = 0; i < size; i++) {
            const double _Complex x = get_complex(&a, i), y = get_complex(&b, i);
            const double _Complex demanded[] = {x + y, x - y, x * y, x / y};
            ck_assert_double_le(cabs(get_complex(&out, i) - demanded[op]),
                                1e-6 * (1 + cabs(demanded[op])));
        }
    }
}

TEST(binary_in_place_equals_host)
{
    const int64_t size = 700;
    const struct placed a = place_tensor(CONTIGUOUS, FD_INT16, 1, &size);
    for (int64_t i = 0; i < size; i++)
        put_int(&a, i, i);
    compute(FD_ADD, &a, &a, &a);
    for (int64_t i = 0; i < size; i++)
        ck_assert_int_eq(get_int(&a, i), 2 * i);
}

TEST(binary_int_division_by_zero_surfaces_at_synchronize)
{
    const int64_t size = 3;
    const struct placed a = place_tensor(CONTIGUOUS, FD_INT32, 1, &size);
    const struct placed out = place_tensor(CONTIGUOUS, FD_INT32, 1, &size);
    const int64_t divisors[] = {2, 0, 5};
    for (int64_t i = 0; i < size; i++)
        put_int(&a, i, divisors[i]);
    ck_assert_ok(fd_kernel_binary(test_stream(), FD_DIV_FLOOR, &out.tensor, &a.tensor, &a.tensor));
    ck_assert_status(fd_stream_synchronize(test_stream()), FD_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "division by zero"));
    ck_assert_int_eq(get_int(&out, 2), 1);
}
